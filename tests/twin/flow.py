"""What every peer must do: log in, receive, type, reply with a file, edit, webhook, slash command, resume.

A peer is a client that someone else wrote. It answers each message of a person with a reply that carries
`notes.txt`, edits it, and speaks once as Luna; it answers `/ask`. This side plays the person and the judge.
"""

from __future__ import annotations

from discord_twin import Message, Twin


async def play(twin: Twin, alt_text: str | None = "some notes") -> None:
    """Talk to a peer that is connecting, and check all that it does."""
    await twin.ready(20)
    await twin.until(lambda: twin.bot.commands, 20)
    await sees_the_answer(twin, twin.say(twin.channel, twin.user, "hello"), alt_text)
    await answers_a_command(twin)
    await resumes(twin, alt_text)
    assert [(one.route, one.status) for one in twin.log.requests if one.status >= 400] == []
    assert twin.log.typing
    assert twin.log.pinged <= {twin.user.id}
    assert twin.gateway.identifies == 1


async def sees_the_answer(twin: Twin, said: Message, alt_text: str | None) -> None:
    reply = await twin.next_message()
    assert reply.draft.reply_ids == (twin.channel.id, said.id)
    (file,) = reply.attachments
    assert (file.filename, file.content, file.description) == ("notes.txt", b"file content", alt_text)
    await twin.until(lambda: reply.content == "edited")
    persona = await twin.next_message()
    assert persona.shown_name == "Luna the cat"
    assert persona.webhook is not None
    assert persona.webhook.application_id == twin.bot.id
    await twin.until(lambda: persona.content == "as Luna, edited")


async def answers_a_command(twin: Twin) -> None:
    asked = twin.slash("ask", question="why")
    answer, more = await twin.next_message(), await twin.next_message()
    assert (answer.content, more.content) == ("answer to why", "and more")
    assert answer.interaction is asked
    assert asked.callback is not None
    assert asked.callback["type"] == 5


async def resumes(twin: Twin, alt_text: str | None) -> None:
    """What is said while the gateway is away is heard after the resume."""
    twin.gateway.drop(4000)
    await twin.until(lambda: not any(one.connection for one in twin.gateway.sessions.values()))
    missed = twin.say(twin.channel, twin.user, "are you there")
    await twin.until(lambda: twin.gateway.resumes, 20)
    await sees_the_answer(twin, missed, alt_text)
