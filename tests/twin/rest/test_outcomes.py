from __future__ import annotations

import json

from streamcord._twin.log import Record
from streamcord._twin.rest.outcomes import banned, broken, done, limited, refused
from streamcord._twin.rest.rate_limits import Admission
from streamcord._twin.rest.refusals import Refusal
from streamcord._twin.rest.routing import NO_CONTENT, Reply


def record() -> Record:
    return Record(0.0, "POST", "/", (), b"")


def test_what_is_done_is_compact_json_of_any_text() -> None:
    outcome = done(Reply({"a": ["\ud800", 1]}), {"X": "1"})

    assert outcome.body == b'{"a":["\\ud800",1]}'
    assert outcome.headers == {"X": "1", "Via": "1.1 google"}
    assert done(NO_CONTENT, {}).body == b""


def test_a_refusal_is_noted_with_its_code() -> None:
    noted = record()
    outcome = refused(noted, Refusal(50013))

    assert (outcome.status, noted.code, noted.scope) == (403, 50013, "")
    assert json.loads(outcome.body)["code"] == 50013


def test_a_write_limit_is_shared_and_says_when_to_come_back() -> None:
    noted = record()
    outcome = refused(noted, Refusal(20028))

    assert (noted.scope, json.loads(outcome.body)["retry_after"]) == ("shared", 1.0)


def test_a_limit_is_noted_with_its_scope() -> None:
    noted = record()
    outcome = limited(noted, Admission({"X": "1"}, 2.5, "global"))

    assert (outcome.status, noted.scope) == (429, "global")
    assert json.loads(outcome.body)["global"] is True


def test_neither_a_ban_nor_a_page_bears_via() -> None:
    noted = record()

    assert "Via" not in banned(noted, 1.5).headers
    assert noted.scope == "cloudflare"
    assert "Via" not in broken(502, html=True).headers
    assert json.loads(broken(503, html=False).body)["code"] == 0
