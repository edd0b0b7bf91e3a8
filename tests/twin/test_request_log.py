from __future__ import annotations

from discord_twin.request_log import Log, Ping, Record, TypingCall

BODY = b'{"content": "a"}'
FORM = (
    b'--b\r\nContent-Disposition: form-data; name="payload_json"\r\nContent-Type: application/json\r\n\r\n'
    + BODY
    + b"\r\n--b--\r\n"
)


def record(route: str, status: int, scope: str = "", body: bytes = BODY) -> Record:
    headers = ((b"Content-Type", b"application/json"), (b"X-Test", b"\xe4"))
    return Record(1.0, "POST", "/p", headers, body, route=route, status=status, scope=scope)


def test_requests_are_found_by_route_and_status() -> None:
    log = Log()
    log.requests.extend([record("a", 200), record("b", 200), record("a", 429)])

    assert [one.route for one in log.of("a")] == ["a", "a"]
    assert log.count("a", status=429) == 1
    assert log.count(status=200) == 2
    assert log.count("a", "b") == log.count() == 3


def test_the_json_of_a_request_is_read_from_both_kinds_of_bodies() -> None:
    assert record("a", 200).json == record("a", 200, body=FORM).json == {"content": "a"}


def test_headers_are_kept_as_they_came() -> None:
    assert record("a", 200).header("x-test") == "ä"
    assert record("a", 200).header("absent") is None


def test_invalid_requests_are_those_that_count() -> None:
    log = Log()
    log.requests.extend(
        [record("a", status, scope) for status, scope in ((401, ""), (404, ""), (429, "shared"))]
    )

    assert [one.status for one in log.invalid] == [401]


def test_everybody_who_was_pinged_is_known() -> None:
    log = Log()
    log.pings.append(Ping(1, 2, "user", 3, frozenset({3})))
    log.pings.append(Ping(1, 2, "role", 9, frozenset({3, 4})))

    assert log.pinged == {3, 4}


def test_only_the_newest_requests_are_kept() -> None:
    log = Log(cap=2)
    for route in "abc":
        log.add(record(route, 200))

    assert [one.route for one in log.requests] == ["b", "c"]


def test_everything_can_be_forgotten() -> None:
    log = Log()
    log.requests.append(record("a", 200))
    log.pings.append(Ping(1, 2, "user", 3, frozenset()))
    log.typing.append(TypingCall(1.0, 2, 3))
    log.clear()

    assert (log.count(), log.pings, log.typing) == (0, [], [])
