"""No label of a link pretends another address: 550 labels with 20 targets, generated."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from streamcord import Message, Pipeline, Settings
from streamcord.utils import make_links_safe

NAMES = [
    "bank.com", "https://bank.com", "www.bank.co.uk/login", "例え.jp", "https://例え.jp", "日本語.com", "paypal.中国",
    "食狮.公司.cn", "한국.kr", "मॉडल.भारत", "ドメイン.テスト", "яндекс.рф", "münchen.de", "discord·com", "discord•com",
    "discord‧com", "discord∙com", "discord⸱com", "ｂａｎｋ．ｃｏｍ", "bank。com", "ftp://bank", "bank.com:443",
]  # fmt: skip
DRESSES = [
    "{}", "**{}**", "_{}_", "~~{}~~", "{}™", "{}℠", "{}¹", "{}²", "{}ª", "{}º", "{}①", "{}Ⓡ", "{}🄬", "{}ﬁ", "{}|login",
    "({})", "{}!", "\u200b{}", "see {} now", "{}\u2060", "🏦 {}", "“{}”", "{} ✅", "→ {}", "{}*!*",
]  # fmt: skip
LABELS = [dress.format(name) for name, dress in product(NAMES, DRESSES)]
TARGETS = [
    "https://evil.example", "https://evil.example/bank.com", "https://evil.example/?q=bank.com", "http://evil.example/",
    "https://evil.example/#bank.com", "https://bank.com@evil.example/", "HTTPS://evil.example", "https:evil.example",
    "https://evil。example", "<https://evil.example/x>", "https://evil.example:443/x", "https://bank.com.evil.example",
    "https://evil.example/x?y#z", "https://xn--evil.example", "https://1.2.3.4/bank", "https://0x7f.1/", "https://evil.example/(x)",
    "https://e%76il.example", "https://evil.example//bank.com", "https://evil.example./",
]  # fmt: skip
HONEST = [
    ("bank.com", "https://www.bank.com/x"), ("例え.jp", "https://例え.jp/a"), ("main.py", "https://git.example/a/main.py"),
    ("1.概要", "https://docs.example/1"), ("スター・ウォーズ", "https://wiki.example/x"), ("Node.js", "https://nodejs.example"),
    ("E = mc²", "https://wiki.example/e"), ("the docs (v1.2.3)", "https://docs.example"), ("H₂O", "https://wiki.example/w"),
    ("col·lecció", "https://wiki.example/c"), ("asyncio.run", "https://docs.example/a.html#asyncio.run"),
    ("Wörterbuch™", "https://w.example"), ("note: read me", "https://w.example"), ("今天。明天", "https://w.example"),
]  # fmt: skip


def shown(text: str, **values: bool) -> str:
    pipeline = Pipeline(Settings(**values))  # type: ignore[arg-type]
    events = [*pipeline.feed(text), *pipeline.flush()]
    return "\n".join(event.content for event in events if isinstance(event, Message))


def test_no_label_with_any_target_pretends_another_address() -> None:
    assert len(LABELS) >= 500
    pretending = [
        (label, target)
        for label, target in product(LABELS, TARGETS)
        if "](" in make_links_safe(f"[{label}]({target})", Settings())
    ]
    assert pretending == []


@pytest.mark.parametrize(
    "label",
    [
        "今すぐभारत.भारतへ", "去ভারত.বাংলা看", "почта%2**E**рф", "bank%2ecom 100%", "bank%2ecom/%2",
        "https∶⁄∕みんな・みんな。-login", "httрs：дом", "https:1.1", "//0x7f.0.0.1", "0x0a.0.0.1",
        "chase.d℮", "chªse.cօm",        "h\u200bttps:/⁄2130706433",
        "https://[∶∶1]",
    ],
)  # fmt: skip
def test_signs_and_letters_that_look_like_those_of_an_address_are_read_as_them(label: str) -> None:
    link = f"[{label}](https://evil.example)"
    assert "](" not in make_links_safe(link, Settings())


@pytest.mark.parametrize("rules", [True, False])
def test_answers_show_the_real_address_with_and_without_rules(rules: bool) -> None:
    chosen = Random(7).sample(LABELS, 60)
    assert [
        label for label in chosen if "](" in shown(f"Go to [{label}](https://evil.example).", rules=rules)
    ] == []


@pytest.mark.parametrize(("label", "target"), HONEST)
def test_honest_links_stay(label: str, target: str) -> None:
    assert make_links_safe(f"[{label}]({target})", Settings()) == f"[{label}]({target})"


def test_links_of_a_thought_log_follow_the_link_policy() -> None:
    text = "Look at [this](https://evil.example/x)."
    assert make_links_safe(text, Settings(links="none")) == "Look at this (`https://evil.example/x`)."
    known = Settings(links="known", link_hosts=("evil.example",))
    assert make_links_safe(text, known) == text
