"""Generated disguises of secrets and of link labels: for tests with a fixed seed, and for `tools/fuzz_security.py`.

A disguise is a way to write a text so that Discord, or one of our own rules, shows it as it was before. Each is drawn
from a random generator, so that a run is repeated by its seed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from streamcord import AnswerContext, Emoji, Message, Pipeline, Settings
from streamcord.utils import MarkupCode, MarkupLine, Quote, read_message

ALNUM = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
INVISIBLE = (
    "\u00ad\u034f\u061c\u180b\u180e\u200b\u200c\u200d\u200e\u200f\u2060\u2061\u2062\u2063\u2064\u2066\u2067\u2069"
    "\u206a\u206f\ufe00\ufe0f\ufeff\ufff9\ufffb\U000e0001\U000e0030\U000e0100\U0001d173"
    "\x01\x08\x1f\x7f\x9b\u070f\u0891\ufdd0\ufffe\uffff\U0001fffe"
)
LINK = re.compile(
    r"\[((?:\[[^\]]*\]|[^\[\]]|\](?=[^\[]*\]))*)\]"
    r"\(\s*<?((?:\([^)]*\)|[^\s\\]|\\.)*?)>?(?:\s+['\"]([\s\S]*?)['\"])?\s*\)"
)
"""How Discord reads a masked link (`LINK_INSIDE` in https://github.com/ariabuckles/simple-markdown)."""
MARKERS = ("*", "**", "***", "__", "~~", "||", "_", "`", "``", "__**", "**__", "~~||", "***__", "_**")
EMPTY_MARKUP = ("<think></think>", "<details></details>", "<think>no</think>", "<|im_end|>", "</s>", "[system: x]",
                "<|endoftext|>", "****", "____", "~~~~", "||||", ":gone:", "<:gone:1234567890123456>",
                "\\")  # fmt: skip


# --- Secrets ----------------------------------------------------------------------------------------------


def draw(random: Random, length: int, letters: str = ALNUM) -> str:
    return "".join(random.choices(letters, k=length))


def known_secrets(random: Random) -> list[str]:
    """Return a bot's token, a password with signs, and a key without a known shape."""
    url_safe = ALNUM + "-_" * 6
    return [
        f"{draw(random, 26)}.{draw(random, 6, url_safe)}.{draw(random, 38, url_safe)}",
        draw(random, 20, ALNUM + "*_~|`-.:/+=" * 2),
        f"{draw(random, 9)}_{draw(random, 9)}-{draw(random, 9)}",
    ]


SHAPES: dict[str, Callable[[Random], str]] = {
    "openai": lambda random: f"sk-{draw(random, 20)}T3BlbkFJ{draw(random, 20)}",
    "openrouter": lambda random: f"sk-or-v1-{draw(random, 64, '0123456789abcdef')}",
    "anthropic": lambda random: f"sk-ant-api03-{draw(random, 40, ALNUM + '-_')}7AA",
    "google": lambda random: f"AIzaSy{draw(random, 33, ALNUM + '-_')[:-1]}9",
    "aws": lambda random: f"AKIA{draw(random, 16, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567')}",
    "github": lambda random: f"github_pat_{draw(random, 22)}_{draw(random, 40)}",
    "slack": lambda random: (
        f"xoxp-{draw(random, 12, '0123456789')}-{draw(random, 12, '0123456789')}-{draw(random, 24)}"
    ),
    "stripe": lambda random: f"rk_live_{draw(random, 24)}",
    "discord": lambda random: f"{draw(random, 25)}9.{draw(random, 6)}.{draw(random, 37)}8",
    "npm": lambda random: f"npm_{draw(random, 36)}",
    "jwt": lambda random: f"eyJ{draw(random, 20)}.eyJ{draw(random, 30)}.{draw(random, 30)}",
    "mfa": lambda random: f"mfa.{draw(random, 60)}",
}
"""Twelve shapes of keys, each with new letters."""

Way = Callable[[str, Random], str]


def cut(text: str, random: Random, most: int = 6) -> list[str]:
    edges = sorted(random.sample(range(1, len(text)), random.randint(1, min(most, len(text) - 1))))
    return [text[a:b] for a, b in zip([0, *edges], [*edges, len(text)], strict=True)]


def style_parts(text: str, random: Random) -> str:
    parts = []
    for part in cut(text, random):
        marker = random.choice((*MARKERS, ""))
        parts.append(f"{marker}{part}{marker[::-1]}")
    return "".join(parts)


def nest_styles(text: str, random: Random) -> str:
    for _ in range(random.randint(1, 3)):
        marker = random.choice(MARKERS)
        start, end = sorted((random.randrange(len(text)), random.randrange(1, len(text) + 1)))
        text = f"{text[:start]}{marker}{text[start:end] or 'x'}{marker[::-1]}{text[end:]}"
    return text


def sprinkle(text: str, random: Random) -> str:
    signs = random.sample(INVISIBLE, random.randint(1, 4))
    share = random.choice((0.1, 0.3, 1.0))
    return "".join(
        letter + (random.choice(signs) * random.randint(1, 3) if random.random() < share else "")
        for letter in text
    )


def escape_signs(text: str, random: Random) -> str:
    share = random.random()
    return "".join(
        f"\\{one}" if not one.isalnum() and one.isascii() and random.random() < share else one for one in text
    )


def link_parts(text: str, random: Random) -> str:
    parts = []
    for part in cut(text, random, 4):
        target = random.choice((
            "https://x.example", "<https://x.example/a>", 'https://x.example/a "t"', "https://x.example/(a)",
            "<https://x.example/a> 't'", "http://x.example/?a=b&c=d#e",
            f"{' ' * 12}https://x.example{' ' * 9}", "\nhttps://x.example", f"https://x.example '{'t ' * 150}'",
            'https://x.example "[y](z)"', 'https://x.example "(x"', "https://x.example/\\)a", "<https://x.example/)>",
            f"https://x.example/{'a' * 600}",
        ))  # fmt: skip
        parts.append(f"[{part}]({target})" if random.random() < 0.7 else part)
    return "".join(parts)


def remove_later(text: str, random: Random) -> str:
    """Put something between the parts that one of our rules removes, or that Discord does not show."""
    return random.choice(EMPTY_MARKUP).join(cut(text, random, 3))


def as_formula(text: str, random: Random) -> str:
    words = "".join(
        f"\\{random.choice(('text', 'mathrm', 'textbf'))}{{{part}}}" for part in cut(text, random, 3)
    )
    return random.choice(("${}$", "$${}$$", "\\({}\\)", "\\[{}\\]")).format(words)


def as_target(text: str, random: Random) -> str:
    address = f"https://x.example/{random.choice(('', '?k=', '#', 'a/'))}{text}"
    return random.choice((f"[here]({address})", f"<{address}>", address, f"![a]({address})"))


def as_block(text: str, random: Random) -> str:
    return random.choice(
        ("> {}", "- {}", "1. {}", "# {}", "-# {}", "```\n{}\n```", "```py\nkey = '{}'\n```", "`{}`", ">>> {}",
         "| key |\n|---|\n| {} |", '"{}"', "({})", "{}.", "**Key:** {}", "||{}||"),
    ).replace("{}", text)  # fmt: skip


INNER: tuple[Way, ...] = (
    style_parts,
    nest_styles,
    sprinkle,
    escape_signs,
    link_parts,
    remove_later,
    as_formula,
)
OUTER: tuple[Way, ...] = (as_block, as_target, lambda text, _: text)


def disguise(secret: str, random: Random) -> str:
    """Return the secret in one to three disguises, one inside the other."""
    for way in random.sample(INNER, random.choice((0, 1, 1, 1, 2))):
        secret = way(secret, random)
    return random.choice(OUTER)(secret, random)


SETTINGS: tuple[dict[str, Any], ...] = (
    {}, {"degree": 0}, {"degree": 3}, {"rules": False}, {"strip_middle_dots": True, "tables": "off"},
    {"emoji_usage": False, "degree": 1},
)  # fmt: skip


def rendered(content: str) -> str:
    """Return what a person sees and copies of a message, without invisible characters."""

    def texts(blocks: object) -> Iterator[str]:
        for block in blocks:  # type: ignore[attr-defined]
            match block:
                case MarkupLine():
                    yield "".join(run.text for run in block.runs) + "\n"
                case MarkupCode():
                    yield block.text
                case Quote():
                    yield from texts(block.blocks)

    return re.sub(f"[{INVISIBLE}]", "", "".join(texts(read_message(content))))


def contents(text: str, settings: Settings, random: Random) -> list[str]:
    """Return the messages of an answer that arrives in chunks of a random size, with the sources of its tables."""
    pipeline = Pipeline(settings, context=AnswerContext(emoji=(Emoji("smile", 1),)))
    size, shown = random.choice((1, 3, 7, 10_000)), list[str]()
    events = [event for at in range(0, len(text), size) for event in pipeline.feed(text[at : at + size])]
    for event in [*events, *pipeline.flush()]:
        if isinstance(event, Message):
            shown.append(event.content)
            shown += [str(getattr(file, "source", "")) for file in event.files]
    return shown


def leak(secret: str, shown: Sequence[str], *, size: int) -> str:
    """Return a fragment of this size that people can copy, from one message or as it is written; else nothing."""
    views = [
        re.sub(f"[{INVISIBLE}]", "", view)
        for content in shown
        for view in (rendered(content), content, rendered(LINK.sub(r"\1", content)))
    ]
    fragments = (secret[at : at + size] for at in range(len(secret) - size + 1))
    return next((one for one in fragments if any(one in view for view in views)), "")


# --- Links ------------------------------------------------------------------------------------------------

HOSTS = ("bank.com", "paypal.com", "login.gov.uk", "github.io", "discord.gg", "例え.jp", "bücher.de", "почта.рф",
         "삼성.한국", "भारत.भारत", "xn--fsq.com", "192.168.0.1", "localhost.run", "mail.google.com",
         "a-b.co.jp", "gov.pl", "中国移动.中国", "россия.рф", "ভারত.বাংলা", "ไทย.ไทย", "みんな.みんな",
         "0x0a.0.0.1", "[2001:db8::1]", "[::2]", "3232235777:80", "0x0b.1", "0250.1", "127.2/login",
         "localhost:3000")  # fmt: skip
FOLDED = {
    "a": "ａ𝐚𝑎𝒶𝓪ⓐᵃ", "b": "ｂ𝐛ⓑᵇ", "c": "ｃ𝐜ⓒᶜ", "o": "ｏ𝐨ⓞᵒₒ", "m": "ｍ𝐦ⓜᵐ", "n": "ｎ𝐧ⓝⁿ", "k": "ｋ𝐤ⓚᵏ", "e": "ｅ𝐞ⓔᵉ℮",
    "g": "ｇ𝐠ⓖᵍ", "i": "ｉ𝐢ⓘⁱ", "p": "ｐ𝐩ⓟᵖ", "t": "ｔ𝐭ⓣᵗ", ".": "．。｡․", "/": "／⁄∕", ":": "：∶ː꞉", "1": "１𝟏①",
    "l": "ｌ𝐥ⓛˡ", "d": "ｄԁⓓ", "s": "ｓѕſⓢ", "h": "ｈһⓗ",
}  # fmt: skip
"""Letters that compatibility folding turns into these."""
DOTS = "．。｡·•‧∙⋅․˙۔"
TARGETS = (
    "https://evil.example", "https://evil.example/", "http://evil.example/bank.com", "https://evil.example:8443/x",
    "https://bank.com@evil.example", "https://bank.com%40@evil.example", "https://evil.example?bank.com",
    "https://evil.example#@bank.com", "HTTPS://EVIL.EXAMPLE/login", "https:\\\\evil.example", "https:/evil.example",
    "https://evil。example/x", "<https://evil.example/a b>", "<https://evil.example>",
    'https://evil.example "bank.com"',
    "https://xn--bank-com.evil.example", "https://0x7f000001/", "https://2130706433/bank.com", "https://[::1]/bank.com",
    "https://bank.com.evil.example/bank.com", f"{' ' * 9}https://evil.example", "\nhttps://evil.example",
    'https://evil.example "("', "<https://evil.example/(>", "https://evil.example/((a", "https://evil.example\n",
    'https://evil.example "a\nb"', "https://evil.example/\\)x",
)  # fmt: skip


def fold(name: str, random: Random) -> str:
    share = random.choice((0.15, 0.5, 1.0))
    return "".join(
        random.choice(FOLDED[one]) if one in FOLDED and random.random() < share else one for one in name
    )


def replace_dots(name: str, random: Random) -> str:
    return name.replace(".", random.choice((*DOTS, "%2E", "%2e")))


def with_scheme(name: str, random: Random) -> str:
    return (
        random.choice(("https://", "http://", "HTTPS://", "https:/", "ftp://", "//", "www.", "hxxps://"))
        + name
    )


def with_path(name: str, random: Random) -> str:
    return name + random.choice(
        ("/", "/login", ":443", "/a?b=c", "#top", "\\x", "/%20", ":8080/x", "/%2", " 100%")
    )


def with_user(name: str, random: Random) -> str:
    return random.choice(("https://me@{}", "https://a:b@{}/", "https://evil.example@{}")).format(name)


def break_up(name: str, random: Random) -> str:
    sign = random.choice((*"\u200b\u2060\u00ad\ufeff\x01\ufff9\ufffe", "**", "__", "~~", "||", "\\"))
    at = random.randrange(1, len(name))
    # Discord shows a backslash before a Latin letter or a digit.
    if sign == "\\" and name[at].isascii() and name[at].isalnum():
        sign = ""
    return f"{name[:at]}{sign}{name[at:]}" + (sign if sign in {"**", "__", "~~", "||"} else "")


def decorate(name: str, random: Random) -> str:
    return random.choice((
        "{}", "**{}**", "_{}_", "~~{}~~", "__{}__", "||{}||", "`{}`", "({})", "“{}”", "«{}»", "<{}>", "{}™", "{}℠",
        "{}®",
        "{}²", "{}①", "{} ↗", "🔗 {}", "→{}", "{}…", "Go to {}", "visit {} today", "{}!", "{}?", "{}、", "{}：", "•{}",
        "[{}]", "去{}看", "今すぐ{}へ",
    )).format(name)  # fmt: skip


LABEL_WAYS: tuple[Way, ...] = (fold, replace_dots, with_scheme, with_path, with_user, break_up)


def pretending_label(random: Random) -> str:
    """Return a label that a browser or a person could take for one of `HOSTS`."""
    label = random.choice(HOSTS)
    for way in random.sample(LABEL_WAYS, random.choice((0, 1, 1, 2))):
        label = way(label, random)
    return decorate(label, random)


@dataclass(frozen=True)
class HonestLink:
    """A link whose label does not pretend another address."""

    label: str
    target: str

    @property
    def text(self) -> str:
        return f"[{self.label}]({self.target})"


WORDS = ("the docs", "release notes", "Getting started", "README.md", "main.py", "index.html", "Node.js",
"asyncio.run()",
         "os.path.join", "v1.2.3", "issue #42", "C++ reference", "Read more", "here", "Figure 3.2", "e.g. this",
         "U.S. law",
         "3.14", "12:30", "Q&A", "TL;DR", "foo::bar", "a/b testing", "and/or", "Dr. Who", "日本語の説明",
         "説明はこちら。",
         "スター・ウォーズ", "подробнее", "más información", "L'été", "user@host", "Mr.Robot", "i.e. that",
         "package.json",
         "System.out", "np.array", "Array.from()", "1.5 GB", "50%", "ISO 8601:2019", "RFC 9110 §15", "10.1145/3292500",
         "Hello... world", "yes/no", "step 1.", "(see below)", "“quoted”", "H₂O", "E=mc²", "x² + y²", "№5", "½ cup",
         "Nº 1",
         "col·laboració", "a•b", "Tab • Two", "™ symbol", "config.toml", "Makefile", ".gitignore",
         "__init__.py")  # fmt: skip


def honest_links() -> list[HonestLink]:
    """Return labels of words with several targets, and labels that name their own target."""
    targets = (
        "https://docs.example/a",
        "https://en.wikipedia.org/wiki/X_(y)",
        "https://github.com/a/b/blob/main/c.py",
    )
    links = [HonestLink(word, target) for word in WORDS for target in targets]
    for host in HOSTS[:11]:
        links += [
            HonestLink(host, f"https://{host}/a"), HonestLink(f"https://{host}/a", f"https://{host}/a"),
            HonestLink(f"www.{host}", f"https://{host}"), HonestLink(f"**{host}**", f"https://www.{host}/x?y=z"),
        ]  # fmt: skip
    return links


CODE = (
    "`git commit -m 'fix'`", "```py\nimport os\nKEY = os.environ['API_KEY']\nprint(KEY[:4])\n```", "`a_b*c_d*e__f`",
    "`sk-learn`, `sk_buff`, `sk-test`", "`ghp_short`, `xoxb-`, `AKIA…`", "uuid 123e4567-e89b-12d3-a456-426614174000",
    "`com.example.app.MainActivity.onCreate.handler`", "sha1 da39a3ee5e6b4b0d3255bfef95601890afd80709",
    "`https://user@example.com/path`", "`ssh git@github.com:a/b.git`", "`redis://localhost:6379/0`",
    "`::std::vec::Vec<u8>`",
    "base64 `aGVsbG8gd29ybGQ=`", "`$HOME/.config/app-name/settings.local.json`",
    "`postgres://postgres:postgres@localhost/db`",
    "`npm_config_registry`", "`hf_transfer`", "`pypi-publish`", "`eyJ` is how a token begins", "`gsk_reset()`",
    "`AIza`",
    "```sh\nexport OPENAI_API_KEY=...\ncurl -H \"Authorization: Bearer $KEY\" x\n```",
    "`very_long_snake_case_identifier_with_many_words_1`",
    "`kebab-case-identifier-with-2-numbers-and-words`", "`SCREAMING_SNAKE_CASE_CONSTANT_NAME_42`",
    "1.2.3-alpha.4+build.567",
    "`org.apache.commons.lang3.StringUtils`", "`9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08`",
    "`0x7fffffffe3a0`", "`2026-11-18T20:00:00.000Z`", "`192.168.0.1:8080`", "`fe80::1ff:fe23:4567:890a`",
    "`x86_64-unknown-linux-gnu`",
    "`**kwargs` and `*args`", "`a || b && c`", "`~/.ssh/id_ed25519.pub`",
    "`Content-Type: application/json; charset=utf-8`",
)  # fmt: skip
"""Code and text that holds no secret, although some of it looks a little like one."""
