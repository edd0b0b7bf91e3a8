from __future__ import annotations

from streamcord._bot.conversation.claims import Claims


def test_g_03_of_all_the_ways_by_which_a_message_comes_one_may_claim_it() -> None:
    claims = Claims()

    assert [claims.claim(1), claims.claim(1), claims.claim(2)] == [True, False, True]


def test_the_oldest_are_forgotten_so_that_memory_is_bounded() -> None:
    claims = Claims(cap=3)
    for number in range(10):
        assert claims.claim(number)

    assert len(claims) == 3
    assert not claims.claim(9)
    assert claims.claim(0)
