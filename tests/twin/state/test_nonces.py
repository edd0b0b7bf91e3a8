from __future__ import annotations

from streamcord._twin.state.model import Draft, Message, User
from streamcord._twin.state.nonces import Nonces


def made_with(nonce: str | int | None, author_id: int = 1) -> Message:
    return Message(5, 6, User(author_id, "bot"), Draft("x", nonce=nonce))


def test_a_message_is_found_by_author_and_nonce_while_it_is_fresh() -> None:
    known, message = Nonces(), made_with("n")
    known.remember(message, now=10.0)

    assert known.find(1, "n", since=9.0) is message
    assert known.find(1, "n", since=10.0) is None
    assert known.find(2, "n", since=0.0) is None
    assert known.find(1, "m", since=0.0) is None


def test_numbers_and_their_text_are_one_nonce() -> None:
    known, message = Nonces(), made_with(7)
    known.remember(message, now=10.0)

    assert known.find(1, "7", since=0.0) is message


def test_a_message_without_a_nonce_is_not_remembered() -> None:
    known = Nonces()
    known.remember(made_with(None), now=10.0)

    assert known.find(1, "None", since=0.0) is None


def test_all_can_be_forgotten() -> None:
    known = Nonces()
    known.remember(made_with("n"), now=10.0)
    known.forget()

    assert known.find(1, "n", since=0.0) is None


def test_only_so_many_are_kept() -> None:
    known = Nonces(kept=2)
    for nonce in "abc":
        known.remember(made_with(nonce), now=10.0)

    assert [known.find(1, nonce, since=0.0) is None for nonce in "abc"] == [True, False, False]
