"""Text of tools goes through rules 3 to 5."""

from __future__ import annotations

from streamcord import Emoji, Person, Persona, Settings, clean_tool_text


def test_a_text_is_cleaned_as_an_answer_is() -> None:
    settings = Settings(
        persona=Persona("Luna"),
        emoji=(Emoji("smile", 11), Emoji("wave", 22)),
        people=(Person(1, "alice"),),
        recent_messages=("hi :wave:",),
    )
    assert clean_tool_text("Luna: hi @alice :smile: :wave:<|im_end|>", settings) == "hi <@1> <:smile:11>"


def test_rules_that_speak_of_a_stream_do_not_run() -> None:
    settings = Settings(prefill="Sure", speaker_guard="any")
    assert clean_tool_text("Note: #### x ...", settings) == "Note: #### x ..."
    assert clean_tool_text("") == ""
