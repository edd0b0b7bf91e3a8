"""No decoration shows a secret: 500 generated ones, known secrets and 12 shapes of keys, as Discord renders them."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from random import Random

import pytest

from security.disguises import rendered
from streamcord import Message, Pipeline, Settings
from streamcord.utils import SecretFilter, hide_secrets

LETTERS = "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA"
KNOWN = {
    "token": "MTAwMDAwMDAwMDAwMDAwMDAx.GhIjKl.aB3-_xQd8__fTzP0-kLmN_2vW9yRsAb_Cd",
    "password": "p*ss_w0rd~of|the`base*42__x",
    "key": "plain.words/and+5igns=of~a:key",
}
SHAPES = {
    "openai": f"sk-proj-{LETTERS}",
    "anthropic": f"sk-ant-api03-{LETTERS}",
    "stripe": f"sk_live_{LETTERS}",
    "github": f"ghp_{LETTERS}",
    "gitlab": f"glpat-{LETTERS}",
    "slack": f"xoxb-123456789012-{LETTERS}",
    "groq": f"gsk_{LETTERS}",
    "hugging face": f"hf_{LETTERS}",
    "google": f"AIza{LETTERS}abc",
    "aws": "AKIA" + "ABCD1234EFGH5678",
    "xai": f"xai-{LETTERS}",
    "jwt": f"eyJ{LETTERS}.eyJ{LETTERS}.{LETTERS}",
}
MARKERS = ("*", "**", "***", "__", "~~", "||", "`", "__**", "~~__", "||**")
HIDDEN_SIGNS = ("\u200b", "\u2060", "\u00ad", "\ufeff", "\u200d", "\U000e0041", "\u034f")
LINK = "](https://x.example/a)"
Decoration = Callable[[str], str]


def make_decoration(seed: int) -> Decoration:
    """Return a random way to write a text so that Discord renders it, or almost, as it is."""

    def decorate(text: str) -> str:
        random = Random(seed)
        for _ in range(random.choice((1, 1, 2))):
            text = random.choice(WAYS)(text, random)
        return text

    return decorate


def wrap_parts(text: str, random: Random) -> str:
    """Wrap some parts of the text in markers."""
    edges = sorted(random.sample(range(1, len(text)), random.randint(1, min(6, len(text) - 1))))
    parts = [text[a:b] for a, b in zip([0, *edges], [*edges, len(text)], strict=True)]
    marker = random.choice(MARKERS)
    return "".join(
        f"{marker}{part}{marker[::-1]}" if at % 2 == random.random() < 0.5 else part
        for at, part in enumerate(parts)
    )


def wrap_all(text: str, random: Random) -> str:
    marker = random.choice((*MARKERS, "_", "**_", "_**"))
    return f"{marker}{text}{marker[::-1]}"


def insert_signs(text: str, random: Random) -> str:
    every = random.randint(1, 7)
    sign = random.choice(HIDDEN_SIGNS)
    return "".join(f"{letter}{sign}" if at % every == 0 else letter for at, letter in enumerate(text))


def escape(text: str, random: Random) -> str:
    return "".join(
        f"\\{letter}" if not letter.isalnum() and random.random() < 0.8 else letter for letter in text
    )


def put_in_links(text: str, random: Random) -> str:
    size = random.randint(1, 9)
    parts = [text[at : at + size] for at in range(0, len(text), size)]
    target = random.choice(
        (LINK, '](https://x.example "title")', "](<https://x.example/b>)", "](https://x.example/(c))")
    )
    return "".join(
        f"[{part}{target}" if at % random.choice((1, 2)) == 0 else part for at, part in enumerate(parts)
    )


def put_in_tags(text: str, random: Random) -> str:
    tag = random.choice(("b", "i", "u", "s", "em", "strong"))
    at = random.randint(1, len(text) - 2)
    return f"{text[:at]}<{tag}>{text[at : at + 1]}</{tag}>{text[at + 1 :]}"


WAYS: list[Callable[[str, Random], str]] = [
    wrap_parts,
    wrap_all,
    insert_signs,
    escape,
    put_in_links,
    put_in_tags,
]
DECORATIONS = [make_decoration(seed) for seed in range(500)]


def answered(text: str, settings: Settings) -> str:
    pipeline = Pipeline(settings)
    events = [*pipeline.feed(text), *pipeline.flush()]
    return "".join(rendered(event.content) for event in events if isinstance(event, Message))


def leaks(shown: str, secret: str, size: int) -> bool:
    return any(secret[at : at + size] in shown for at in range(len(secret) - size + 1))


@pytest.mark.parametrize("rules", [True, False])
@pytest.mark.parametrize("secret", KNOWN.values(), ids=KNOWN)
def test_no_decoration_shows_a_fragment_of_a_known_secret(secret: str, rules: bool) -> None:
    settings = Settings(secrets=tuple(KNOWN.values()), rules=rules)
    texts = [f"It is {decorate(secret)} indeed." for decorate in DECORATIONS]
    assert [text for text in texts if leaks(answered(text, settings), secret, 8)] == []


@pytest.mark.parametrize("secret", KNOWN.values(), ids=KNOWN)
def test_no_decoration_shows_a_known_secret_outside_of_answers(secret: str) -> None:
    known = SecretFilter(KNOWN.values())
    texts = [decorate(secret) for decorate in DECORATIONS]
    assert [text for text in texts if leaks(rendered(known.hide(text)), secret, 8)] == []


@pytest.mark.parametrize("key", SHAPES.values(), ids=SHAPES)
def test_no_decoration_shows_a_key_of_a_known_shape(key: str) -> None:
    texts = [f"It is {decorate(key)} indeed." for decorate in DECORATIONS]
    assert [text for text in texts if key in rendered(hide_secrets(text))] == []
    sample = Random(3).sample(texts, 40)
    assert [text for text in sample if key in answered(text, Settings())] == []


HONEST = (
    "postgres://user:password@db/app",
    "redis://:changeme@localhost:6379/0",
    "redis://:mysecretpassword@cache:6379",
    "amqp://app:s3cr3t@rabbitmq:5672/",
    "`DATABASE_URL=mysql://root:secret@db:3306/x`",
    "```py\nTOKEN = os.environ['DISCORD_TOKEN']\nclient.run(TOKEN)\n```",
    "**sk-learn** and `sk-learn-compatible-estimators-for-everybody`",
    "`export OPENAI_API_KEY=sk-...` and `sk-your-key-here`",
    "__init__.py, __main__.py, snake_case_name_with_many_parts, `a__b__c`",
    "`x = a*b*c | d ~ e`, `**kwargs`, `*args`, `a_1*b_2*c_3*d_4*e_5*f_6`",
    "[docs](https://docs.example/a_b_c/d.e.f#g-h-i) and [more](https://x.example/?q=1&r=2_3)",
    "https://cdn.example/f/0a1b2c3d-4e5f-6789-abcd-ef0123456789/picture_1.final.v2.png",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "| a_b | c_d |\n|---|---|\n| `e_f` | **g_h** |",
    "com.example.very.long.package.name.that.goes.on.ForEver.and_ever-and-ever.ClassName",
)


def test_honest_code_and_sample_credentials_stay() -> None:
    known = SecretFilter(KNOWN.values())
    assert [text for text in HONEST if known.hide(text) != text] == []


@pytest.mark.parametrize("rules", [True, False])
def test_links_inside_of_an_address_show_no_secret(rules: bool) -> None:
    settings = Settings(secrets=tuple(KNOWN.values()), rules=rules)
    for secret in KNOWN.values():
        inner = f"[{secret[:9]}](https://x.example)[{secret[9:15]}](<https://x.example/a>){secret[15:]}"
        for text in (f"[here](https://x.example/?k={inner})", f"![a](https://x.example/#{inner} 't')"):
            assert not leaks(answered(text, settings), secret, 8), text


def test_key_with_underscores_between_markers_is_hidden() -> None:
    text = "_np_``m``___hEJA__``kJvj``**__oaYo7o4RZzMdsruH6ZRlmESMotRf__**"
    assert rendered(text) == "npm_hEJAkJvjoaYo7o4RZzMdsruH6ZRlmESMotRf\n"
    assert "hEJAkJvj" not in rendered(hide_secrets(text))


def test_invisible_signs_beside_an_underscore_of_a_key_hide_no_border_of_italics() -> None:
    text = "It is __npm\ufe00_\ufdd0G__*7Qo6BxuD20*_**2bDwGpxgmF9DWPT**_||t6MkPuOjLF|| indeed."
    assert "npm_G7Qo6BxuD202bDwGpxgmF9DWPTt6MkPuOjLF" in re.sub("[\ufe00\ufdd0]", "", rendered(text))
    assert "bDwGpxgmF9DWPT" not in rendered(hide_secrets(text))


@pytest.mark.parametrize(
    "text",
    [
        "It is xghp_a0B1c2D3e4F5g6H7i8J9k0L1m2N3o4P5q6R7.",
        "keyAIzaSyA0b1C2d3E4f5G6h7I8j9K0l1M2n3O4p5Q",
        "xsk-or-v1-0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        "https://u:$$AIzaSyA0b1C2d3E4f5G6h7I8j9K0l1M2n3O4p5Q$$@x.example/",
        ".MTAwMDAwMDAwMDAwMDAwMDAx.GhIjKl.aB3xQd8fTzP0kLmN2vW9yRsAbCdEf1G2h3I4j5.",
        "It is AKIAR2RPWSOPGEGRAOZ_W_ indeed.",
    ],
)
def test_key_beside_letters_or_signs_is_removed(text: str) -> None:
    assert "[removed]" in hide_secrets(text)


def test_words_that_end_like_the_start_of_a_key_stay() -> None:
    for text in (
        "risk-assessment-2024-final-report", "disk-9f86d081884c7d659a2feaa0c55ad015", "pnpm_lock_file_of_the_project",
        "var8_some_long_identifier_with_many_words", "task-0a1b2c3d-4e5f-6789-abcd-ef0123456789",
    ):  # fmt: skip
        assert hide_secrets(text) == text


def test_keys_inside_words_are_searched_in_linear_time() -> None:
    for unit in ("xghp_", "eyJ", "xsk-or-v1-0a", "xAIza0a", "xghp_a0a0a0a0a0a0a0a0a0a0a0a0"):
        short, long = (
            min(_seconds((unit * length)[:length]) for _ in range(3)) for length in (5_000, 20_000)
        )
        assert long < 12 * max(short, 0.001), unit


def _seconds(text: str) -> float:
    start = time.thread_time()
    hide_secrets(text)
    return time.thread_time() - start
