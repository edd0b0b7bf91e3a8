"""`Settings`: all groups in one flat value, and how it is read from a file.

A field has one name in Python, TOML, batch lines and docs, so the groups are bases and not attributes. Values are
checked once, when an instance is built.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .._common.fields import build, check_fields, describe_fields, fields_of, unknown_key
from .._events import Degree
from .._exceptions import SettingsError
from .context import AnswerContext
from .groups import (
    LIVE_LIMIT,
    CaptureSettings,
    DeliverySettings,
    NormalizeSettings,
    PlanSettings,
    SegmentSettings,
    SplitSettings,
    TurnSettings,
)

# Every stop string is searched for in every chunk, so their number and length are bounded.
MAX_STOP_STRINGS = 40
MAX_STOP_STRING_CHARS = 200


@dataclass(frozen=True, kw_only=True)
class Settings(
    DeliverySettings,
    TurnSettings,
    PlanSettings,
    SplitSettings,
    NormalizeSettings,
    SegmentSettings,
    CaptureSettings,
):
    """How answers are split, changed, paced and delivered. All fields are optional and keyword-only.

    Raises:
        SettingsError: A value is not allowed; the message says which ones are.

    Example:
        >>> settings = Settings(degree=3, message_length=500)
        >>> settings.degree
        <Degree.HEAVY: 3>

    """

    def __post_init__(self) -> None:
        check_fields(self)
        # Conditions on more than one field, or on the items of a list.
        object.__setattr__(self, "stop_strings", as_stop_strings("stop_strings", self.stop_strings))
        if self.pause_max < self.pause_min:
            raise SettingsError("pause_max", f"at least pause_min ({self.pause_min})", self.pause_max)
        if self.overflow_before >= self.overflow_target:
            raise SettingsError("overflow_before", "less than overflow_target", self.overflow_before)
        if self.comma_removal_chance + self.comma_break > 1:
            raise SettingsError("comma_break", "at most 1 - comma_removal_chance", self.comma_break)

    @classmethod
    def assistant(cls, **changes: Any) -> Settings:  # noqa: ANN401 - the fields of this class
        """Return settings for an assistant: one message of up to 4000 characters that grows while the model writes.

        Args:
            **changes: Fields that differ.

        Example:
            >>> Settings.assistant(mentions="no one").delivery
            'live'

        """
        return cls(**{"delivery": "live", "live_limit": LIVE_LIMIT, **changes})

    @classmethod
    def persona(cls, **changes: Any) -> Settings:  # noqa: ANN401 - the fields of this class
        """Return settings for a persona: a message per sentence, typed and humanized like small talk.

        Args:
            **changes: Fields that differ.

        Example:
            >>> Settings.persona().degree
            <Degree.HEAVY: 3>

        """
        return cls(**{"degree": Degree.HEAVY, **changes})

    @classmethod
    def from_mapping(cls, values: Mapping[str, Any]) -> Settings:
        """Build settings from a TOML table or a JSON object.

        Args:
            values: Field names and values.

        Raises:
            SettingsError: A key is unknown, or a value does not fit.

        Example:
            >>> Settings.from_mapping({"degree": "heavy"}).degree
            <Degree.HEAVY: 3>

        """
        return build(cls, "settings", values)


def read_settings(values: Mapping[str, Any], where: str = "settings") -> tuple[Settings, AnswerContext]:
    """Return the settings and the context of one table, as in a settings file or a line of a batch.

    Files have one table for both. The field names of the two classes are distinct.

    Args:
        values: Field names and values of `Settings` and `AnswerContext`.
        where: Name of the table, for errors.

    Returns:
        The settings and the context.

    Raises:
        SettingsError: A key is unknown, or a value does not fit.

    Example:
        settings, context = read_settings(tomllib.loads(text)["settings"])
        await say(channel, source, settings=settings, context=context)

    """
    if not isinstance(values, Mapping):
        raise SettingsError(where, "a table", values)
    settings, context = fields_of(Settings), fields_of(AnswerContext)
    for key in values:
        # Checked here for both classes, so that the suggestion may name a field of either.
        if key not in settings and key not in context:
            raise unknown_key(where, key, [*settings, *context])
    return (
        build(Settings, where, {key: value for key, value in values.items() if key in settings}),
        build(AnswerContext, where, {key: value for key, value in values.items() if key in context}),
    )


def as_stop_strings(where: str, values: object) -> tuple[str, ...]:
    """Return a list of stop strings without repeats, in its order.

    Args:
        where: The name of the setting, for errors.
        values: The list to check.

    Raises:
        SettingsError: It is no list of texts, has too many, or one is too long.

    """
    if not isinstance(values, list | tuple) or not all(isinstance(value, str) for value in values):
        raise SettingsError(where, "a list of texts", values)
    kept = tuple(dict.fromkeys(values))
    if len(kept) > MAX_STOP_STRINGS:
        raise SettingsError(where, f"at most {MAX_STOP_STRINGS} texts", len(kept))
    for value in kept:
        if not 1 <= len(value) <= MAX_STOP_STRING_CHARS:
            raise SettingsError(where, f"texts of 1 to {MAX_STOP_STRING_CHARS} characters", len(value))
    return kept


# Appended, because the descriptions of the fields are written once, in `setting`.
Settings.__doc__ = (Settings.__doc__ or "") + describe_fields(Settings)
