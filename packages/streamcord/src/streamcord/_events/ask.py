"""A question that people answer by a button, a menu or a form, and the decision that they make.

Discord's limits are checked when the value is made, so that a wrong question is told in one sentence before
anything is sent (https://docs.discord.com/developers/components/reference).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, replace
from enum import StrEnum
from typing import Any, Literal, TypeAlias

MAX_OPTIONS = 25
"""Buttons of a message (five rows of five), and entries of a menu."""
MAX_LABEL_CHARS = 80
"""Characters of a button's label."""
MAX_QUESTION_CHARS = 1900
"""Characters of a question: a message has 2000, and the decision is added to it."""
MAX_NOTE_CHARS = 200
"""Characters of the line below a question; they count as the question's."""
MAX_DESCRIPTION_CHARS = 100
"""Characters of the line below an entry of a menu."""
MAX_FIELDS = 5
"""Fields of a form."""
MAX_FIELD_LABEL_CHARS = 45
"""Characters of a field's label, and of a form's title."""
MAX_INPUT_CHARS = 4000
"""Characters that a person may type into a field."""
MAX_STATE_CHARS = 64 * 1024
MIN_EXPIRY_S = 10.0
MAX_EXPIRY_S = 30 * 86_400.0
_ID = re.compile("[0-9a-f]{1,32}")

ButtonStyle: TypeAlias = Literal["plain", "main", "good", "danger"]


@dataclass(frozen=True, slots=True)
class AskField:
    """A field of a form, into which a person types.

    Args:
        name: The key of the text in `Decision.inputs`.
        label: The words above the field; empty for the name.
        required: Whether it must be filled in.
        long: Whether it has several lines.
        max_chars: How much may be typed.

    Example:
        AskField("reason", "Why not?", long=True)

    """

    name: str
    label: str = ""
    required: bool = True
    long: bool = False
    max_chars: int = 1000

    def __post_init__(self) -> None:
        _check_text("the name of a field", self.name, 100)
        _check_text("the label of a field", self.title, MAX_FIELD_LABEL_CHARS)
        if not 1 <= self.max_chars <= MAX_INPUT_CHARS:
            raise ValueError(f"max_chars of a field must be 1 to {MAX_INPUT_CHARS}, not {self.max_chars}")

    @property
    def title(self) -> str:
        """The words above the field."""
        return self.label or self.name


@dataclass(frozen=True, slots=True)
class AskOption:
    """One answer to a question.

    Args:
        label: The words on the button.
        value: What `Decision.values` says; empty for the label.
        description: A line below the label, in a menu.
        style: The colour of the button.
        fields: A form that opens when it is pressed; sending the form is the decision.

    Example:
        AskOption("Something else…", "other", fields=(AskField("text", "What?"),))

    """

    label: str
    value: str = ""
    description: str = ""
    style: ButtonStyle = "plain"
    fields: tuple[AskField, ...] = ()

    def __post_init__(self) -> None:
        _check_text("the label of an option", self.label, MAX_LABEL_CHARS)
        if len(self.description) > MAX_DESCRIPTION_CHARS:
            raise ValueError(
                f"the description of an option has at most {MAX_DESCRIPTION_CHARS} characters, "
                f"not {len(self.description)}"
            )
        if len(self.fields) > MAX_FIELDS:
            raise ValueError(f"a form has at most {MAX_FIELDS} fields, not {len(self.fields)}")
        if len({one.name for one in self.fields}) < len(self.fields):
            raise ValueError("two fields of a form have the same name")

    @property
    def key(self) -> str:
        """What a decision says."""
        return self.value or self.label


@dataclass(frozen=True, slots=True, init=False)
class Ask:
    """A question with buttons, a menu or a form.

    A source yields one that `Asks.open` returned, a tool awaits an `AskUser`.

    Args:
        question: The text above the buttons.
        options: The answers; a text is an option with that label.
        several: Whether more than one may be chosen, which needs a menu.
        menu: Whether the options are entries of a menu instead of buttons.
        who: Ids of the people who may answer.
        roles: Ids of roles whose members may answer. Without people and roles anyone may.
        expires: Seconds until it can no longer be answered.
        notice: Whether the program asks and not the model; shown in a form that no model can imitate.
        note: A small line below the question, such as a cost; the decision does not depend on it.
        id: The row that keeps it; set by `Asks.open`.
        state: What the asking code needs after the decision; it is kept and never shown.

    Raises:
        ValueError: Discord would not show it, or no one could answer it; the message says what to change.

    Example:
        Ask("Where shall I deploy?", ("staging", "production"), who=(user.id,))

    """

    question: str
    options: tuple[AskOption, ...] = ()
    several: bool = False
    menu: bool = False
    who: tuple[int, ...] = ()
    roles: tuple[int, ...] = ()
    expires: float = 900.0
    notice: bool = False
    note: str = ""
    id: str = ""
    state: str = ""

    def __init__(  # noqa: PLR0913, PLR0917 - all of a question
        self,
        question: str,
        options: Iterable[AskOption | str] = (),
        several: bool = False,
        menu: bool = False,
        who: Iterable[int] = (),
        roles: Iterable[int] = (),
        expires: float = 900.0,
        notice: bool = False,
        note: str = "",
        id: str = "",  # noqa: A002
        state: str = "",
    ) -> None:
        made = tuple(AskOption(one) if isinstance(one, str) else one for one in options)
        _check_text(
            "a question", f"{question}{_as_line(note)}" if question.strip() else "", MAX_QUESTION_CHARS
        )
        if len(note) > MAX_NOTE_CHARS:
            raise ValueError(f"the note of an ask has at most {MAX_NOTE_CHARS} characters, not {len(note)}")
        _check_options(made, menu=menu or several)
        if not MIN_EXPIRY_S <= expires <= MAX_EXPIRY_S:
            raise ValueError(f"expires must be {MIN_EXPIRY_S:g} to {MAX_EXPIRY_S:g} seconds")
        if len(state) > MAX_STATE_CHARS:
            raise ValueError(f"the state of an ask has at most {MAX_STATE_CHARS} characters")
        if id and not _ID.fullmatch(id):
            raise ValueError("the id of an ask has 1 to 32 hexadecimal digits")
        values = (
            question,
            made,
            several,
            menu or several,
            tuple(who),
            tuple(roles),
            expires,
            notice,
            note,
            id,
            state,
        )
        for one, value in zip(fields(self), values, strict=True):
            object.__setattr__(self, one.name, value)

    @property
    def text(self) -> str:
        """The question with its note, as people read it."""
        return self.question + _as_line(self.note)

    @classmethod
    def form(cls, question: str, fields: Iterable[AskField], label: str = "Answer", **more: Any) -> Ask:  # noqa: ANN401
        """Return a question with one button that opens a form.

        Args:
            question: The text above the button.
            fields: One to five fields.
            label: The label of the button.
            **more: `who`, `roles`, `expires` and the like.

        """
        return cls(question, (AskOption(label, "form", style="main", fields=tuple(fields)),), **more)

    @classmethod
    def from_dict(cls, body: Mapping[str, Any]) -> Ask:
        """Return the question that `to_dict` has written."""
        options = [
            AskOption(**{**one, "fields": tuple(AskField(**field_) for field_ in one.get("fields", ()))})
            for one in body["options"]
        ]
        return cls(**{**body, "options": tuple(options)})

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON values; what has its default is left out."""
        return _changed(self)

    def with_id(self, id_: str) -> Ask:
        """Return it with the id of its row."""
        return replace(self, id=id_)

    def is_for(self, user: int, roles: Iterable[int] = ()) -> bool:
        """Return whether this person may answer."""
        if not (self.who or self.roles):
            return True
        return user in self.who or not set(self.roles).isdisjoint(roles)

    def is_same(self, other: Ask) -> bool:
        """Return whether a person who has answered this question has answered the other one, too."""
        mine, theirs = ((one.question, one.options, one.several, one.menu) for one in (self, other))
        return mine == theirs

    def choose(
        self, indexes: Iterable[int], inputs: Mapping[str, str] | None = None, *, user: int, at: float
    ) -> Decision:
        """Return the decision for these options.

        Args:
            indexes: Positions of the chosen options.
            inputs: What was typed into the form, by the names of its fields.
            user: Who decided.
            at: When, in seconds since 1970.

        Raises:
            ValueError: There is no such option, or too many were chosen.

        """
        chosen = sorted(set(indexes))
        if not chosen or chosen[0] < 0 or chosen[-1] >= len(self.options):
            raise ValueError("there is no such option")
        if len(chosen) > 1 and not self.several:
            raise ValueError("only one option may be chosen")
        options = [self.options[index] for index in chosen]
        known = {one.name: one.max_chars for option in options for one in option.fields}
        typed = {name: text[: known[name]] for name, text in (inputs or {}).items() if name in known}
        return Decision(
            tuple(one.key for one in options), tuple(one.label for one in options), typed, user, at
        )


@dataclass(frozen=True, slots=True)
class Decision:
    """What a person decided.

    Example:
        decision = await ask("Deploy?", ("yes", "no"))
        if decision.value == "yes":
            deploy()

    """

    values: tuple[str, ...]
    """The values of the chosen options."""
    labels: tuple[str, ...] = ()
    """Their labels."""
    inputs: Mapping[str, str] = field(default_factory=dict)
    """What was typed into a form, by the names of its fields."""
    user: int = 0
    """Who decided."""
    at: float = 0.0
    """When, in seconds since 1970."""

    @property
    def value(self) -> str:
        """The value of the first chosen option."""
        return self.values[0]

    @property
    def text(self) -> str:
        """The decision in words: the labels, then what was typed."""
        typed = [f"{name}: {text}" for name, text in self.inputs.items() if text]
        return "\n".join([", ".join(self.labels), *typed])


class AskOutcome(StrEnum):
    """What became of an attempt to decide.

    Example:
        if outcome is AskOutcome.NOT_YOURS:
            await interaction.response.send_message("This question is for others.", ephemeral=True)

    """

    DECIDED = "decided"
    """This attempt made the decision."""
    ALREADY = "already"
    """It was decided before."""
    EXPIRED = "expired"
    NOT_YOURS = "not_yours"
    """Others may decide."""
    UNKNOWN = "unknown"
    """There is no such question any more."""


def _changed(value: Any) -> dict[str, Any]:  # noqa: ANN401 - a dataclass
    """Return the fields of a dataclass that do not have their default."""
    body = {one.name: getattr(value, one.name) for one in fields(value)}
    needed = {one.name for one in fields(value) if one.default is MISSING}
    body = {
        name: part
        for name, part in body.items()
        if name in needed or part != next(one.default for one in fields(value) if one.name == name)
    }
    return {name: _plain(part) for name, part in body.items()}


def _plain(part: object) -> object:
    if isinstance(part, tuple):
        return [_plain(one) for one in part]
    return _changed(part) if is_dataclass(part) else part


def _as_line(note: str) -> str:
    return f"\n-# {note}" if note else ""


def _check_options(options: tuple[AskOption, ...], *, menu: bool) -> None:
    if not options:
        raise ValueError("an ask needs at least one option; use Ask.form for a form")
    if len(options) > MAX_OPTIONS:
        raise ValueError(f"an ask has at most {MAX_OPTIONS} options, not {len(options)}")
    if len({one.key for one in options}) < len(options):
        raise ValueError("two options of an ask have the same value")
    if menu and any(one.fields for one in options):
        raise ValueError("an entry of a menu cannot open a form; use buttons")


def _check_text(what: str, text: object, limit: int) -> None:
    if not isinstance(text, str) or not text.strip():
        raise ValueError(f"{what} must not be empty")
    if len(text) > limit:
        raise ValueError(f"{what} has at most {limit} characters, not {len(text)}")
