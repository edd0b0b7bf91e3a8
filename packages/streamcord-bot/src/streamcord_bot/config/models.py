"""`[models.NAME]`: a model, its provider, and settings that are different for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from streamcord import SettingsError
from streamcord.providers import PRESETS, Options
from streamcord.settings import check_fields, read_settings, setting

from .access import AccessList
from .budget import PriceConfig
from .table_reader import KEY_NAME, check_variable


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelConfig:
    """`[models.NAME]`: a model, its provider, and settings that are different for it."""

    name: str = setting("main", "The table's own name, which commands and personas use.")
    provider: str = setting(
        "openai",
        "Who serves the model: openai, anthropic, google, ollama, ... (`streamcord ask --help` lists all).",
    )
    model: str = setting("", "The model, as the provider calls it.")
    base_url: str = setting("", "The address of its API, if it is not the provider's usual one.")
    key_name: str = setting("", "The environment variable of the key; empty is the provider's usual one.")
    key_names: tuple[str, ...] = setting(
        (), "Environment variables of further keys, which are used in turn; a variable may hold several keys."
    )
    key: str = setting("", "The secret itself; never read from the file.", repr=False)
    more_keys: tuple[str, ...] = setting((), "Further keys; never read from the file.", repr=False)
    allow_http: bool = setting(False, "Whether the key may travel to another machine without encryption.")
    images: bool = setting(True, "Whether it can see pictures.")
    documents: bool = setting(
        True,
        "Whether it reads PDF, audio and video files itself, where its provider takes them; of others the text is "
        "extracted.",
    )
    tools: bool = setting(True, "Whether it can call tools.")
    fallback: tuple[str, ...] = setting(
        (), "Models that are asked when this one fails, by their names in this file."
    )
    allow: AccessList = setting(
        doc="Who may be answered by it: people, roles, channels, servers; all, if nothing is named.",
        factory=AccessList,
    )
    price: PriceConfig = setting(
        doc="What a million tokens cost: input, output, cached.", factory=PriceConfig
    )
    options: Options = setting(doc="How it answers: temperature, max_tokens, reasoning, ...", factory=Options)
    settings: Mapping[str, Any] = setting(
        doc="Fields of `Settings` that are different for this model.", factory=dict
    )

    def __post_init__(self) -> None:
        check_fields(self)
        check_variable("key_name", self.key_name)
        for name in self.key_names:
            check_variable("key_names", name)
        if self.provider not in PRESETS:
            raise SettingsError("provider", "one of " + ", ".join(PRESETS), self.provider)
        # Checked now, so that the error names this table and not the answer that fails later.
        read_settings(self.settings)

    @property
    def secret_name(self) -> str:
        """The environment variable where the key is looked for."""
        return self.key_name or PRESETS[self.provider].key_name or KEY_NAME

    @property
    def native_files(self) -> tuple[str, ...]:
        """Beginnings of the kinds of files that it reads itself."""
        return PRESETS[self.provider].reads if self.documents and not self.base_url else ()

    @property
    def keys(self) -> tuple[str, ...]:
        """All keys, in order; one empty key if there is none."""
        return (self.key, *self.more_keys)

    @property
    def needs_key(self) -> bool:
        """Whether the provider refuses requests without a key."""
        # A server at another address than the provider's, such as a local one, may need no key.
        return bool(self.key_name or (PRESETS[self.provider].key_name and not self.base_url))
