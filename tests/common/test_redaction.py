"""Keys are found by their looks, and known ones by every piece; words about keys stay."""

from __future__ import annotations

from itertools import pairwise
from random import Random
from time import process_time

import pytest

from streamcord._common.key_blocks import KeyBlocks
from streamcord._common.known_secrets import PIECE, SecretFilter
from streamcord._common.redaction import HIDDEN, MASK, find_secrets, hide_secrets, mask_secrets

ALNUM = "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0z"
SHAPES = {
    "openai": f"sk-proj-{ALNUM}_x-{ALNUM}",
    "openai, old": f"sk-{ALNUM}",
    "anthropic": f"sk-ant-api03-{ALNUM}-{ALNUM}AA",
    "openrouter": "sk-or-v1-" + "0f" * 32,
    "groq": f"gsk_{ALNUM}",
    "hugging face": f"hf_{ALNUM}",
    "xai": f"xai-{ALNUM}",
    "google": f"AIza{ALNUM}-abcd",
    "aws": "AKIAIOSFODNN7EXAMPLE",
    "github": f"ghp_{ALNUM}",
    "github, new": f"github_pat_{ALNUM}_{ALNUM}",
    "gitlab": "glpat-a1B2c3D4e5F6g7H8i9J0",
    "slack": "xoxb-123456789012-abcdefghijkl",
    "stripe": f"sk_live_{ALNUM}",
    "sendgrid": f"SG.{ALNUM[:22]}.{ALNUM}",
    "jwt": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
    "discord": "MTAwMDAwMDAwMDAwMDAwMDAx.GhIjKl." + "aB3-_x" * 6 + "yz",
}
SHAPES |= {
    "discord, two factors": "mfa." + ALNUM * 2,
    "google client": f"GOCSPX-{ALNUM}",
    "pypi": f"pypi-{ALNUM}{ALNUM}",
    "telegram": f"1234567890:AA{ALNUM}_x",
}
FRAMES = [
    "{}",
    "_{}_",
    "__{}__",
    "**_{}_**",
    "***{}***",
    "***__{}__***",
    "\\_{}\\_",
    "~~_{}_~~",
    "||__{}__||",
    "It is {}, keep it.",
    "`{}`",
    "```sh\nexport KEY={}\n```",
    "({})",
    '"{}"',
    "鍵は{}です",
    "key:{}",
]


@pytest.mark.parametrize("key", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("frame", FRAMES)
def test_a_key_is_known_by_its_looks(key: str, frame: str) -> None:
    assert hide_secrets(frame.format(key)) == frame.format(HIDDEN)
    assert mask_secrets(frame.format(key)) == frame.format("*" * len(key))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("postgresql://bot:hunter2!x@db.local/streamcord", "postgresql://bot:[removed]@db.local/streamcord"),
        ("redis://:s3cr3tvalue@localhost:6379", "redis://:[removed]@localhost:6379"),
        ("mongodb+srv://u:p%40ss9@cluster0.x.net", "mongodb+srv://u:[removed]@cluster0.x.net"),
        ("https://discord.com/api/webhooks/123456789012345678/" + "wH9-_k" * 11,
         "https://discord.com/api/webhooks/123456789012345678/[removed]"),
        ("AccountName=a;AccountKey=" + "aB3+" * 20 + "==;x", "AccountName=a;AccountKey=[removed];x"),
        ("https://hooks.slack.com/services/T0000AAAA/B0000BBBB/aB3dE5gH7jK9",
         "https://hooks.slack.com/services/[removed]"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA7x+/b3\nabc=\n-----END RSA PRIVATE KEY-----",
         "-----BEGIN RSA PRIVATE KEY-----[removed]-----END RSA PRIVATE KEY-----"),
    ],
)  # fmt: skip
def test_of_an_address_only_the_secret_part_goes(text: str, shown: str) -> None:
    assert hide_secrets(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Set OPENAI_API_KEY to your sk-... key.",
        "sk-learn-compatible-estimators are classes",
        "sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "hf_transformers and gsk_ and xai-models",
        "postgresql://user:password@localhost/db",
        "postgres://user:password@db",
        "mysql://app:my_password_123@h, amqp://admin:admin123@h, ftp://u:your_password_here@h",
        "mongodb://u:db_pass@h, redis://:12345@h, mssql://sa:test1234@h, smtp://me:abc123@h",
        "redis://default:redispassword@redis, amqp://rabbit:rabbit@rabbitmq, http://u:personal_access_token@h",
        "mssql://sa:YourStrong!Passw0rd@h, postgres://u:REDACTED@h, https://abc:wonderland1@example.com and a:b@h",
        'f"postgres://u:{password}@h" and "postgres://u:" + password + "@h"',
        "sk-your-api-key-here-1234 xoxb-your-token-here ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "hooks.slack.com/services/YOUR/WEBHOOK/URL_GOES_HERE",
        "npm_package_config_node_gyp_devdir and hf_hub_download_from_cache_dir",
        "some_long_package_name.module.train_and_evaluate_the_model",
        "snake_case_sk_value and task_sk-learn",
        "mysql://root:<password>@localhost, redis://:${REDIS_PASSWORD}@cache",
        "http://127.0.0.1:8080/a@b and https://example.com:443/",
        "ssh://git@github.com:22/org/repo.git",
        "com.example.application.MainActivityWithAVeryLongNameIndeed",
        "https://discord.com/api/webhooks/123/short",
        "AKIA is a prefix; AKIALOWERcaseisnone12",
        "eyJ is how a token begins, eyJhbGciOi.eyJ",
        "Donaudampfschifffahrtsgesellschaftskapitän-2024-07-16",
        "550e8400-e29b-41d4-a716-446655440000",
        "a" * 3000,
    ],
)
def test_words_about_keys_stay(text: str) -> None:
    assert find_secrets(text) == []


KEYS = ("zq8Kd0-mysecretkey_77LxP", "aaaaaaaaab", "p\\q0w9e8r7t6", "short")


def streamed(text: str, *cuts: int) -> str:
    known = SecretFilter(KEYS)
    edges = [0, *sorted(cuts), len(text)]
    return "".join(known.feed(text[a:b]) for a, b in pairwise(edges)) + known.flush()


@pytest.mark.parametrize(
    "text",
    [
        "Here: zq8Kd0-mysecretkey_77LxP!",
        "its start zq8Kd0-m and its end y_77LxP, apart",
        "twice zq8Kd0-mysecretkey_77LxPzq8Kd0-mysecretkey_77LxP",
        "escaped zq8Kd0-mysecretkey\\_77LxP and z\u200bq8Kd0-m\u200bysecretkey_77LxP",
        "aaaaaaaaaaaaaaaaaaaaab aaaaaaab aaaaaaaab",
        "the other pq0w9e8r7t6 or p\\q0w9e8r7t6",
        "nearly zq8Kd0- and mysecre tkey_77",
        "",
    ],
)
def test_every_piece_goes_however_it_is_sliced(text: str) -> None:
    whole = streamed(text)

    assert len(whole) == len(text)
    assert [a in {b, MASK} for a, b in zip(whole, text, strict=True)] == [True] * len(text)
    for key in ("zq8Kd0-mysecretkey_77LxP", "aaaaaaaaab", "pq0w9e8r7t6"):
        for at in range(len(key) - PIECE + 1):
            assert key[at : at + PIECE] not in whole.replace("\\", "").replace("\u200b", "")
    assert streamed(text, *range(len(text))) == whole
    random = Random(7)
    for _ in range(200):
        assert streamed(text, *(random.randint(0, len(text)) for _ in range(3))) == whole


@pytest.mark.parametrize("sign", ["*", "**", "~~", "||", "`", "\\"])
@pytest.mark.parametrize("every", [1, 5, 7])
def test_signs_of_markdown_between_hide_nothing_from_us_either(sign: str, every: int) -> None:
    key = KEYS[0]
    shown = sign.join(key[at : at + every] for at in range(0, len(key), every))

    assert SecretFilter(KEYS).hide(f"It is {shown}, yes.") == f"It is {HIDDEN}, yes."


def test_nothing_that_cannot_be_seen_hides_a_secret() -> None:
    """https://www.unicode.org/reports/tr44/#Default_Ignorable_Code_Point, but for the unassigned."""
    unseen = [0xAD, 0x34F, 0x61C, 0x115F, 0x17B4, 0x180E, 0x200B, 0x200F, 0x202E, 0x2063, 0x2069, 0x3164,
              0xFE0F, 0xFEFF, 0xFFA0, 0x1BCA0, 0x1D173, 0xE0020, 0xE0100]  # fmt: skip
    for one in map(chr, unseen):
        assert SecretFilter(KEYS).hide(one.join(KEYS[0])) == HIDDEN, f"U+{ord(one):04X}"


def test_signs_that_a_password_has_are_no_decoration() -> None:
    known = SecretFilter(["_*~|`*_~|", "of~a:key", "letters-and-more"])

    assert known.hide("_*~|`*_~|, of~a:key, letters-and-more") == f"{HIDDEN}, {HIDDEN}, {HIDDEN}"
    assert SecretFilter(["of~a:key"]).hide("of~**a:key**, o__f~a__:key") == f"{HIDDEN}**, {HIDDEN}"


def test_pieces_and_shapes_are_shown_as_removed_and_shorter_pieces_stay() -> None:
    known = SecretFilter(KEYS)

    assert known.hide(f"zq8Kd0-mysecretkey_77LxP, {SHAPES['groq']}") == f"{HIDDEN}, {HIDDEN}"
    assert known.mask("ab zq8Kd0-m c") == "ab ******** c"
    assert known.hide("zq8Kd0-, short") == "zq8Kd0-, short"
    assert SecretFilter(()).hide("zq8Kd0-mysecretkey_77LxP") == "zq8Kd0-mysecretkey_77LxP"
    assert known
    assert not SecretFilter(["short"])


def test_little_is_held_and_nothing_of_other_words() -> None:
    known = SecretFilter(KEYS)

    assert known.feed("Hi, how are you? ") == "Hi, how are you? "
    assert known.feed("zq8Kd0-") == ""
    assert known.feed("x") == "zq8Kd0-x"
    assert known.feed("z" + "\u200b" * 3000) == "z" + "\u200b" * 3000


@pytest.mark.parametrize(
    "unit",
    ["sk-", "eyJ", "eyJa.", "://a:", "://:@", "-----BEGIN ", "-----BEGIN PRIVATE KEY-----", "a.bcdefg.",
     "zq8Kd0-", "AKIA", "/webhooks/1", "\\", "a1-", MASK, "://" + "a" * 90],
)  # fmt: skip
def test_time_grows_with_the_text_and_no_faster(unit: str) -> None:
    known = SecretFilter(KEYS)
    size = 400_000
    text = (unit * (size // len(unit) + 1))[:size]
    began = process_time()
    known.hide(text)

    assert process_time() - began < 2.0


# --- Private keys of many lines ---

KEY_LINES = ["MIIEowIBAAKCAQEA7x+/b3" * 2, "k9" * 32, "abc="]
KEY_PAGES = [
    ("-----BEGIN RSA PRIVATE KEY-----", "\n", "-----END RSA PRIVATE KEY-----"),
    ("Here: -----BEGIN PRIVATE KEY-----", "  \r\n", "-----END PRIVATE KEY-----, keep it"),
    ("> -----BEGIN PGP PRIVATE KEY BLOCK-----", "\n> ", "-----END"),
    ('{"key": "-----BEGIN EC PRIVATE KEY-----', "\\n", '-----END EC PRIVATE KEY-----"}'),
    ("-----BEGIN OPENSSH PRIVATE KEY-----", "\n", ""),
    ("-----BEGIN PRIVATE KEY-----", "\n\t", "\nThat was it. More - much more."),
    ("-----BEGIN PGP PRIVATE KEY BLOCK-----\n", "\n", "-----END"),
    (
        "-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: GnuPG v2\nComment: mine, not yours\n",
        "\n",
        "-----END",
    ),
    (
        "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0F1E\n",
        "\n",
        "-----END",
    ),
    ("-----BEGIN RSA PRIVATE KEY-----\n> Proc-Type: 4,ENCRYPTED\n> DEK-Info: DES,0F\n> ", "\n> ", "-----END"),
]


@pytest.mark.parametrize(("head", "between", "tail"), KEY_PAGES)
@pytest.mark.parametrize("size", [1, 3, 64, 10_000])
def test_no_line_of_a_private_key_is_left_however_it_comes(
    head: str, between: str, tail: str, size: int
) -> None:
    text = between.join([head, *KEY_LINES, tail])
    blocks = KeyBlocks()
    masked = "".join(blocks.feed(text[at : at + size]) for at in range(0, len(text), size))

    assert len(masked) == len(text)
    assert masked.startswith(head.partition("\n")[0])
    assert masked.endswith(tail.lstrip("\n"))
    assert not any(line in masked for line in KEY_LINES)
    assert not any(line in hide_secrets(text) for line in KEY_LINES)


@pytest.mark.parametrize(
    "text",
    [
        "A file that begins with -----BEGIN PRIVATE KEY----- holds a key - so hide it.",
        "`-----BEGIN PRIVATE KEY-----` and `-----END PRIVATE KEY-----`",
        "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END PUBLIC KEY-----",
        "a-b--c---d----e-----f " * 50,
    ],
)
@pytest.mark.parametrize("size", [1, 50, 10_000])
def test_words_about_headings_of_keys_stay(text: str, size: int) -> None:
    blocks = KeyBlocks()
    assert "".join(blocks.feed(text[at : at + size]) for at in range(0, len(text), size)) == text
    assert hide_secrets(text) == text


def test_a_key_without_an_end_hides_so_much_and_no_more() -> None:
    blocks = KeyBlocks()
    masked = blocks.feed("-----BEGIN PRIVATE KEY-----\n" + "A" * 30_000)

    assert masked.count(MASK) == 20_000


@pytest.mark.parametrize(
    "text",
    [
        "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEvQ...\n-----END RSA PRIVATE KEY-----",
        "postgresql://scott:tiger@localhost/test",
        "redis://alice:foobared@redis.server:6380",
    ],
)
def test_keys_and_passwords_of_examples_stay(text: str) -> None:
    assert hide_secrets(text) == text


def test_a_key_of_which_the_end_is_missing_is_hidden() -> None:
    assert hide_secrets("-----BEGIN PRIVATE KEY-----\nMIIEvQ") == "-----BEGIN PRIVATE KEY-----[removed]"
