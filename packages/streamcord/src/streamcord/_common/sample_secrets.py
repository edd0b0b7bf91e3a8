"""Tell passwords and keys of examples from real ones: `my_secret_password`, `sk-your-key-here`.

Answers with code are full of them. An example is made of words that say what belongs there, or of one character
many times; a real key is random, so it has neither.
"""

from __future__ import annotations

import re

# Words that example passwords are made of, with nothing else between them. The longer of two comes first.
_WORDS = (
    "p[@a]ssw[o0]rd|pa55word|s3cr3t|s3cret|passwort|passphrase|passcode|passwd|pass|pwd|pw|psw|secret|token|credentials|credential|keys|key|api|auth|access"
    "|personal|specific|private|public|usernames|username|user|login|account|name|admin|root|guest|owner|client|service|server"
    "|database|postgresql|postgres|mysql|mariadb|mongodb|mongo|redis|rabbitmq|minio|django|airflow|grafana|keycloak|wordpress|proxy"
    "|ftp|smtp|mail|email|app|sql|db|my|your|the|super|strong|secure|safe|very|some|random|any|new|old|long|simple|complex"
    "|test|testing|demo|dev|local|prod|staging|example|sample|default|dummy|fake|placeholder|redacted|removed|hidden|xxx"
    "|insert|replace|enter|put|change|with|this|that|me|it|here|goes|letmein|welcome|qwerty|hunter2|foobared|foo|bar|baz|tiger|bitnami|abc|sa|a|of|for|in|to"
)
# Atomic, so that the time is linear: `username` is one word, never two.
_PASSWORD = re.compile(rf"(?:(?>{_WORDS})[-_.!]*+)++", re.IGNORECASE)
_COUNTED = re.compile(r"1?23?4?5?6?7?8?9?0?|[*.x#_-]+", re.IGNORECASE)
_VARIABLE = re.compile(r"[\"'`]?[<{$%\[(+].*", re.DOTALL)  # `<password>`, `${PASSWORD}`, `"+password+"`
_TAIL = re.compile(r"[-_]?\d{1,6}[!?#$]*\Z|[!?#$]+\Z")

_SAME = re.compile(r"([xX*.])\1{5}")
_SAYS_SO = re.compile(
    r"(?:\A|[-_/])(?:your|insert|replace|placeholder|dummy|goes[-_]here)(?=[-_/]|\Z)", re.IGNORECASE
)
_MIN_ARMORED_CHARS = 16
_BASE64 = re.compile(r"[A-Za-z0-9+/]")


def is_sample_password(password: str, user: str = "") -> bool:
    """Return whether a password of a URL is one of an example.

    Args:
        password: The password, as written in the URL.
        user: The name before it: `postgres:postgres` is an example.

    """
    if _VARIABLE.match(password) or _COUNTED.fullmatch(password):
        return True
    plain = _TAIL.sub("", password)
    return (bool(user) and plain.lower() == user.lower()) or _PASSWORD.fullmatch(plain) is not None


def is_sample_key(key: str) -> bool:
    """Return whether a key of a known shape is one of an example: it says so, or is a row of `x`."""
    return _SAME.search(key) is not None or _SAYS_SO.search(key) is not None


def is_sample_armor(body: str) -> bool:
    """Return whether the lines between BEGIN and END of a private key are too few for a key, such as `...`."""
    return len(_BASE64.findall(body)) < _MIN_ARMORED_CHARS
