from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.streams import decoded, share, slices
from streamcord._errors import ProviderError
from streamcord._events import KeepAlive, ProviderEvent, TextDelta, ThoughtDelta, Usage
from streamcord._providers.dialects import Anthropic, Dialect, Google, OpenAIChat, OpenAIResponses
from streamcord._providers.presets import NovelAI
from streamcord._providers.reads.mould import MOULD_CAP, MOULD_TRIES, Mould
from streamcord._providers.response_reader import ResponseReader

HEAD = "data: "
Writer = Callable[[Any, dict[str, Any]], dict[str, Any]]


def event(data: str) -> str:
    return f"{HEAD}{data}\n\n"


def learned(data: str = '{"id": 1, "text": "Hello"}', text: str = "Hello", *idle: str) -> Mould:
    mould = Mould(idle)
    mould.learn(HEAD, data, text)
    return mould


# --- One mould -----------------------------------------------------------------------------------------


def test_events_that_differ_in_their_words_alone_need_not_be_parsed() -> None:
    mould = learned()

    assert mould.find(event('{"id": 1, "text": " there."}')) == " there."
    assert (
        mould.find("".join(event(f'{{"id": 1, "text": "{word}"}}') for word in ("ça ", "", "日本")))
        == "ça 日本"
    )


def test_what_is_escaped_is_what_json_says() -> None:
    words = ['a\n\t"b"\\', "\\", '"', "/\b\f\r", "é\u2028", "😀", "\x7f"]
    sent = [json.dumps(word, ensure_ascii=plain) for word in words for plain in (False, True)]

    found = learned().find("".join(event(f'{{"id": 1, "text": {word}}}') for word in sent))

    assert found == "".join(json.loads(word) for word in sent)


def test_halves_of_a_surrogate_pair_do_not_meet() -> None:
    halves = event(r'{"id": 1, "text": "\ud83d"}') + event(r'{"id": 1, "text": "\ude00"}')

    assert learned().find(halves) == "\ud83d" + "\ude00" != "😀"


def with_gaps() -> Mould:
    """A mould whose two idle values have differed already."""
    mould = learned('{"n":7,"text":"Hello","pad": "xy"}', "Hello", "n", "pad")
    mould.learn(HEAD, '{"n":8,"text":"Hello","pad": "z"}', "Hello")
    return mould


def test_idle_values_may_differ() -> None:
    mould = with_gaps()

    assert (
        mould.find(event('{"n":0,"text":"a","pad": ""}') + event('{"n":12,"text":"b","pad": "zz"}')) == "ab"
    )


@pytest.mark.parametrize(
    "data",
    [
        '{"n":07,"text":"a","pad": ""}',
        '{"n":-7,"text":"a","pad": ""}',
        '{"n":"7","text":"a","pad": ""}',
        '{"n":٧,"text":"a","pad": ""}',
        '{"n":1234567890123456789,"text":"a","pad": ""}',
        '{"n":,"text":"a","pad": ""}',
        '{"n":7,"text":"a","pad":""}',
        r'{"n":7,"text":"a","pad": "\""}',
        '{"n":7,"text":"a","pad": "\t"}',
        '{"n":7,"text":"a","pad": "","more":1}',
    ],
)
def test_idle_values_are_of_their_kind(data: str) -> None:
    assert with_gaps().find(event(data)) == ""


@pytest.mark.parametrize(
    "read",
    [
        event('{"id": 2, "text": "x"}'),
        event('{"id": 1, "text": "x", "finish": true}'),
        event('{"id": 1, "text": "x", "text": "y"}'),
        event('{"id": 1, "text": "a\tb"}'),
        event('{"id": 1, "text": ""}'),
        event('{"id": 1, "text": "}'),
        event(r'{"id": 1, "text": "\"}'),
        event(r'{"id": 1, "text": "\x"}'),
        event(r'{"id": 1, "text": "\u12"}'),
        event('{"id": 1, "text": "x"}').rstrip("\n"),
        event('{"id": 1, "text": "x"}') + "\n",
        event('{"id": 1, "text": "x"}') + ": alive\n\n" + event('{"id": 1, "text": "x"}'),
        event('{"id": 1, "text": "x"}') + event('{"id": 9, "text": "x"}') + event('{"id": 1, "text": "x"}'),
        event('{"id": 1, "text": "x"}\ndata: {"id": 1, "text": "x"}'),
        event('{"id": 1, "text": "a\\"}') + event('{"id": 1, "text": "nb"}'),
        "",
    ],
)
def test_any_other_read_is_read_the_long_way(read: str) -> None:
    assert learned().find(read) == ""


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ('{"a": "x", "text": "x"}', "x"),
        (r'{"A": 1, "text": "\u0041"}', "A"),
        ('{"text": "ab"}', "a"),
        (f'{{"text": "a", "long": "{"x" * MOULD_CAP}"}}', "a"),
    ],
    ids=["it stands there twice", "it is escaped", "it does not stand there", "it is long"],
)
def test_where_the_words_stand_must_be_certain(data: str, text: str) -> None:
    assert learned(data, text).find(event(data)) == ""


def test_a_mould_is_not_trusted_once_something_else_was_read() -> None:
    mould = learned()
    mould.distrust()
    assert mould.find(event('{"id": 1, "text": "x"}')) == ""

    mould.learn(HEAD, '{"id": 1, "text": "y"}', "y")
    assert mould.find(event('{"id": 1, "text": "x"}')) == "x"


def test_a_server_whose_events_are_never_alike_costs_a_few_tries() -> None:
    mould = Mould()
    for number in range(MOULD_TRIES + 1):
        mould.learn(HEAD, f'{{"id": {number}, "text": "x"}}', "x")
        assert mould.find(event(f'{{"id": {number}, "text": "y"}}')) == ("y" if number < MOULD_TRIES else "")


def test_the_cost_is_linear_in_what_was_read() -> None:
    begin = '{"id": 1, "text": "'

    def cost(length: int) -> float:
        mould = learned()
        reads = [
            event(begin + "x" * length) + event(begin + 'x"}'),
            (f"{HEAD}{begin}\n" * (length // 20)) + event(begin + 'x"}'),
            event(begin + "\\n" * (length // 2)) + event(begin + 'x"}'),
        ]
        began = time.process_time()
        assert not any(map(mould.find, reads))
        return time.process_time() - began

    cost(1000)
    small = min(cost(50_000) for _ in range(3))
    large = min(cost(200_000) for _ in range(3))

    assert large < 10 * small + 0.002  # 4 for a line, 16 for a square


# --- The short way says what the long way says -----------------------------------------------------------


def chat(text: Any, more: dict[str, Any]) -> dict[str, Any]:
    delta = {"content": text, **more.get("delta", {})}
    choice = {"index": 0, "delta": delta, "finish_reason": None, **more.get("choice", {})}
    return {
        "id": "c",
        "created": more["n"],
        "choices": [choice],
        "obfuscation": "x" * more["n"],
        **more["top"],
    }


def completion(text: Any, more: dict[str, Any]) -> dict[str, Any]:
    choice = {"index": 0, "text": text, "finish_reason": None, **more.get("choice", {})}
    return {"id": "c", "created": more["n"], "choices": [choice], **more["top"]}


def responses(text: Any, more: dict[str, Any]) -> dict[str, Any]:
    place = {"item_id": "i", "output_index": 0, "content_index": 0}
    payload = {"type": "response.output_text.delta", "sequence_number": more["n"], **place, "delta": text}
    return {**payload, "obfuscation": "x" * more["n"], **more.get("delta", {}), **more["top"]}


def messages(text: Any, more: dict[str, Any]) -> dict[str, Any]:
    delta = {"type": "text_delta", "text": text, **more.get("delta", {})}
    return {"type": "content_block_delta", "index": 0, "delta": delta, **more["top"]}


def content(text: Any, more: dict[str, Any]) -> dict[str, Any]:
    candidate = {"content": {"parts": [{"text": text, **more.get("delta", {})}], "role": "model"}, "index": 0}
    usage = {"promptTokenCount": 4, "candidatesTokenCount": more["n"], "totalTokenCount": 4 + more["n"]}
    payload = {"candidates": [{**candidate, **more.get("choice", {})}], "usageMetadata": usage}
    return {**payload, "responseId": "r", **more["top"]}


def thinking(write: Writer, path: tuple[str | int, ...], changes: dict[str, Any]) -> Writer:
    """The same events, but what they say is a thought."""

    def written(text: Any, more: dict[str, Any]) -> dict[str, Any]:
        payload = write(text, more)
        inner: Any = payload
        for key in path:
            # An event without a choice says no thought.
            inner = inner[key] if inner else {}
        inner.update({key: text if value == "TEXT" else value for key, value in changes.items()})
        return payload

    return written


WRITERS: list[tuple[Dialect, Writer]] = [
    (OpenAIChat(), chat),
    (OpenAIChat(cumulative=True), chat),
    (OpenAIResponses(), responses),
    (Anthropic(), messages),
    (Google(), content),
    (Google(cumulative=True), content),
    (NovelAI(), completion),
]
PLAIN = [WRITERS[number] for number in (0, 2, 3, 4, 6)]
THINKING: list[tuple[Dialect, Writer]] = [
    (OpenAIChat(), thinking(chat, ("choices", 0, "delta"), {"content": None, "reasoning_content": "TEXT"})),
    (OpenAIChat(), thinking(chat, ("choices", 0, "delta"), {"content": "", "reasoning": "TEXT"})),
    (OpenAIResponses(), thinking(responses, (), {"type": "response.reasoning_summary_text.delta"})),
    (Anthropic(), thinking(messages, ("delta",), {"type": "thinking_delta", "text": "", "thinking": "TEXT"})),
    (Google(), thinking(content, ("candidates", 0, "content", "parts", 0), {"thought": True})),
]
CALL = {"index": 0, "id": "t", "function": {"name": "f", "arguments": "{}"}}
DELTAS: list[dict[str, Any]] = [
    {"role": "assistant"},
    {"reasoning_content": "hm"},
    {"refusal": "no"},
    {"tool_calls": [CALL]},
    {"content": None},
    {"content": ["x"]},
    {"created": 5},
    {"type": "thinking_delta", "thinking": "hm"},
    {"thought": True},
    {"thoughtSignature": "s"},
    {"functionCall": {"name": "f"}},
    {"type": "response.output_text.done", "text": "Hello"},
    {"type": "response.reasoning_text.delta"},
    {"type": "response.refusal.delta"},
    {"item_id": "other"},
]
CHOICES: list[dict[str, Any]] = [
    {"index": 1},
    {"finish_reason": "stop"},
    {"finish_reason": "length"},
    {"finishReason": "STOP"},
    {"finishReason": "MAX_TOKENS"},
    {"error": {"code": 502, "message": "bad"}},
    {"text": "completed"},
]
TOPS: list[dict[str, Any]] = [
    {"usage": {"prompt_tokens": 3, "completion_tokens": 5}},
    {"usage": None},
    {"provider": "A"},
    {"provider": "B"},
    {"error": {"message": "no"}},
    {"choices": []},
    {"candidates": []},
    {"choices": [{"delta": {"content": "a"}}, {"index": 1, "delta": {"content": "b"}}]},
    {"usageMetadata": {"promptTokenCount": 9}},
    {"promptFeedback": {"blockReason": "OTHER"}},
    {"type": "message_stop"},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 15}},
    {"type": "ping"},
    {"type": "response.completed", "response": {"usage": {"input_tokens": 1, "output_tokens": 2}}},
    {"id": "other"},
    {"n": "x"},
]
TEXTS = st.one_of(
    st.sampled_from(
        ["Hello", " there", ".\n\n", '"', "\\", "é", "😀", "\ud83d", "\ude00", "data: {", "", "id"]
    ),
    st.text(max_size=4),
    st.none(),
)
SPECIAL: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {"top": st.just({}) | st.sampled_from(TOPS)},
    optional={"delta": st.sampled_from(DELTAS), "choice": st.sampled_from(CHOICES)},
)
EVENTS = st.tuples(
    TEXTS,
    st.integers(0, 9),
    st.one_of(*[st.just({"top": {}})] * 4, SPECIAL),
    st.sampled_from([""] * 12 + ["twice", "named", "comment", "broken", "bytes", "spaced", "crlf", "done"]),
)


def written(payload: dict[str, Any], how: str, *, ascii_only: bool) -> bytes:
    """One event as a server could write it, or as none should."""
    separators = (", ", ": ") if how == "spaced" else (",", ":")
    data = json.dumps(payload, ensure_ascii=ascii_only, separators=separators)
    if how == "twice":
        data = data[:-1] + data[data.index(",") :]
    if how == "broken":
        data = data.replace('"', '\\"', 7)
    head = {"named": "event: message\n", "comment": ": alive\n\n"}.get(how, "")
    line = "[DONE]" if how == "done" else data
    sent = f"{head}data: {line}\n\n".encode("utf-8", "surrogatepass")
    sent = sent.replace(b"e", b"\xe2\x82", 1) if how == "bytes" else sent
    return sent.replace(b"\n", b"\r\n") if how == "crlf" else sent


def like(one: Any, other: Any) -> bool:
    return bool(replace(one, text="") == replace(other, text=""))


def summary(events: list[ProviderEvent], error: ProviderError | None) -> tuple[list[object], object, str]:
    """What is left if words may be sliced in any way, and of numbers that grow the last ones count."""
    said: list[Any] = []
    for one in events:
        last: Any = said[-1] if said else None
        if isinstance(one, TextDelta | ThoughtDelta) and type(one) is type(last) and like(one, last):
            said[-1] = replace(one, text=last.text + one.text)
        elif not isinstance(one, KeepAlive | Usage):
            said.append(one)
    counted = [one for one in events if isinstance(one, Usage)]
    return said, counted[-1:], repr(error)


def heard(dialect: Dialect, reads: list[bytes]) -> tuple[list[object], object, str]:
    reader = ResponseReader(dialect.decoder())
    events: list[ProviderEvent] = []
    try:
        for read in reads:
            if not reader.ended:
                events += reader.feed(read)
        events += reader.flush()
        events += reader.finish("The stream ended")
    except ProviderError as error:
        return summary(events, error)
    return summary(events, None)


@share(12)
@given(st.sampled_from([*WRITERS, *THINKING]), st.lists(EVENTS, min_size=2, max_size=14), st.data())
def test_the_short_way_says_what_the_long_way_says(
    writer: tuple[Dialect, Writer],
    events: list[tuple[Any, int, dict[str, Any], str]],
    data: st.DataObject,
) -> None:
    dialect, write = writer
    ascii_only = data.draw(st.booleans())
    sent = [
        written(write(text, {**more, "n": number}), how, ascii_only=ascii_only)
        for text, number, more, how in events
    ]
    expected = summary(*decoded(dialect.decoder(), [b"".join(sent)]))
    cuts = sorted(data.draw(st.sets(st.integers(1, len(sent)))) | {len(sent)})
    reads = [b"".join(sent[start:end]) for start, end in zip([0, *cuts], cuts, strict=False)]

    assert heard(dialect, reads) == expected
    assert heard(dialect, slices(len(sent), 600)(b"".join(sent))) == expected


@pytest.mark.parametrize(("dialect", "write"), [*PLAIN, *THINKING])
def test_the_short_way_is_taken(dialect: Dialect, write: Writer) -> None:
    reader = ResponseReader(dialect.decoder())
    sent = [written(write(f"{n} \n", {"top": {}, "n": n}), "", ascii_only=False) for n in range(10)]

    for first in sent[:3]:
        reader.feed(first.replace(b"\\n", b"!"))
    said = reader.feed(b"".join(sent[3:]))

    assert isinstance(said[0], TextDelta | ThoughtDelta)
    assert said[0].text == "".join(f"{n} \n" for n in range(3, 10))
    assert [one for one in said[1:] if not isinstance(one, Usage)] == []
