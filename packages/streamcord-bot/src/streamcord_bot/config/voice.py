"""`[voice]`: transcription of voice messages."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from streamcord import SettingsError
from streamcord.settings import check_fields, setting

_THIS_MACHINE = frozenset({"127.0.0.1", "::1", "localhost"})


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceConfig:
    """`[voice]`: transcription of voice messages; off without `model`."""

    model: str = setting("", "The model that transcribes, as its server calls it: whisper-1, ...")
    base_url: str = setting(
        "https://api.openai.com/v1", "A server with OpenAI's /audio/transcriptions; a local one needs no key."
    )
    key_name: str = setting("OPENAI_API_KEY", "The environment variable of the key.")
    key: str = setting("", "The secret itself; never read from the file.", repr=False)
    timeout: float = setting(30.0, "Seconds for one voice message.", minimum=1, maximum=300)
    price: float = setting(
        0.0,
        "What a minute costs, in the currency of the models' prices; it counts in the budget.",
        minimum=0,
        maximum=1000,
    )

    def __post_init__(self) -> None:
        check_fields(self)
        url = urlsplit(self.base_url)
        # The key would travel unencrypted, and voice messages too.
        if url.scheme != "https" and (url.scheme != "http" or url.hostname not in _THIS_MACHINE):
            raise SettingsError("base_url", "an https address, or http on this machine", self.base_url)
