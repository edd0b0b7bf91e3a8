"""`[moderation]`: filters for questions and answers."""

from __future__ import annotations

from dataclasses import dataclass

from streamcord import ModerationStage, Moderator, SettingsError, WordList
from streamcord.providers import HttpModerator
from streamcord.settings import check_fields, setting

from .table_reader import check_variable


@dataclass(frozen=True, slots=True, kw_only=True)
class ModerationConfig:
    """`[moderation]`: filters for questions, before the model reads them, and for answers, before people do."""

    words: tuple[str, ...] = setting((), "Words and phrases that no question and no answer may contain.")
    endpoint: str = setting(
        "",
        "A server with OpenAI's /moderations, such as https://api.openai.com/v1; empty is none.",
    )
    model: str = setting("omni-moderation-latest", "The model of that server.")
    key_name: str = setting("OPENAI_API_KEY", "The environment variable of its key.")
    key: str = setting("", "The secret itself; never read from the file.", repr=False)
    questions: bool = setting(True, "Whether questions are checked.")
    answers: bool = setting(True, "Whether answers are checked, message by message.")
    fail_open: bool = setting(False, "Whether texts pass while that server cannot be reached.")

    def __post_init__(self) -> None:
        check_fields(self)
        check_variable("key_name", self.key_name)
        # Build them once now, so that a wrong address is reported when the file is read.
        try:
            self.moderators()
        except SettingsError as error:
            # The moderator calls it `base_url`; the key in the file is `endpoint`.
            raise SettingsError(
                "endpoint" if error.field == "base_url" else error.field, error.allowed
            ) from None

    def moderators(self) -> tuple[Moderator, ...]:
        """Return the moderators in the order in which they are asked: cheap word lists first."""
        wanted: dict[ModerationStage, bool] = {"question": self.questions, "answer": self.answers}
        stages = tuple(stage for stage, is_wanted in wanted.items() if is_wanted)
        # With neither questions nor answers to check there is nothing to build.
        words = [WordList(self.words, stages=stages)] if self.words and stages else []
        if not self.endpoint or not stages:
            return tuple(words)
        server = HttpModerator(
            base_url=self.endpoint,
            key=self.key,
            model=self.model,
            fail_open=self.fail_open,
            stages=stages,
        )
        return (*words, server)
