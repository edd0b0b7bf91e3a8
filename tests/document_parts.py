"""The building blocks of generated documents: prose in many scripts, code in eight languages, Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

ENGLISH = (
    "the", "engine", "reads", "every", "letter", "once", "and", "keeps", "what", "it", "needs", "so",
    "that", "a", "reader",
    "sees", "whole", "lines", "while", "model", "still", "writes", "its", "answer", "because", "nobody",
    "likes", "waiting",
    "for", "long", "paragraphs", "which", "arrive", "all", "at", "end", "of", "day", "or", "in", "pieces",
    "without", "order",
)  # fmt: skip
OTHERS = {
    "Chinese": ("这个系统会逐字读取模型的回答", "然后把它分成合适的消息", "因为没有人喜欢等待",
    "所以每一行都要完整", "代码块也不能断开"),
    "Japanese": ("この仕組みは文字を一つずつ読みます", "だから順番は変わりません", "これは**太字**です",
    "次の文も同じです", "「引用」も守ります"),
    "Arabic": ("هذا النظام يقرأ كل حرف مرة واحدة", "ثم يرسل الرسائل بالترتيب", "ولا يضيع أي شيء",
    "كل سطر يبقى كاملا"),
    "Thai": ("ระบบนี้อ่านตัวอักษรทีละตัว", "แล้วส่งข้อความตามลำดับ", "ไม่มีอะไรหายไป", "ทุกบรรทัดยังคงสมบูรณ์"),
    "Hindi": ("यह प्रणाली हर अक्षर को एक बार पढ़ती है", "फिर संदेश क्रम से भेजती है",
    "क्षत्रिय और त्रिज्ञा भी पूरे रहते हैं"),
    "Korean": ("이 시스템은 글자를 하나씩 읽습니다", "그래서 순서가 바뀌지 않습니다",
    "코드도 끊어지지 않습니다"),
    "Russian": ("Система читает каждую букву один раз", "Поэтому порядок не меняется", "Ничего не теряется"),
    "German": ("Das Verfahren liest jedes Zeichen einmal",
    "Größe und Maß bleiben, d. h. nichts geht verloren", "Äpfel z. B. auch"),
}  # fmt: skip
ENDS = {"Chinese": "。", "Japanese": "。", "Thai": " ", "Hindi": "। ", "Arabic": ". "}
TAGS = ("<:smile:123456789012345678>", "<a:dance:987654321098765432>", "<@111222333444555666>",
        "<#777888999000111222>",
        "<@&100200300400500600>", "<t:1700000000:R>", "</help:123456789012345678>")  # fmt: skip
URLS = ("https://example.com/docs", "https://en.wikipedia.org/wiki/Foo_(bar)",
        "http://localhost:8080/a_b*c?x=1&y=2#z",
        "https://a.example/very/long/path/that/goes/on/and/on/until/it/ends.html",
        "<https://example.org/quiet>")  # fmt: skip


def phrase(random: Random, least: int = 3, most: int = 14) -> str:
    return " ".join(random.choices(ENGLISH, k=random.randint(least, most)))


def sentence(random: Random) -> str:
    """One sentence, now and then with a trap for those who look for its end."""
    body = phrase(random)
    trap = random.random()
    if trap < 0.05:
        body += random.choice(
            (
                " at 5 p.m. today",
                ", e.g. this one",
                " by Dr. Smith",
                " of v1.2.3",
                " worth $3.14",
                " (see fig. 2)",
            )
        )
    elif trap < 0.08:
        body += random.choice(
            (' and "so. It" goes', " as J. R. R. Tolkien said", " in the U.S. and Canada", ' of the 12" pipe')
        )
    return body[0].upper() + body[1:] + random.choice((".", ".", ".", ".", "!", "?", "...", ":", "…"))


def spice(random: Random) -> str:
    """A few words in some Markdown span, a link, a tag or a stray marker."""
    inner = phrase(random, 1, 6)
    spans = (
        f"**{inner}**", f"*{inner}*", f"__{inner}__", f"~~{inner}~~", f"||{inner}||", f"`{inner}`",
        f"***{inner}***",
        f"**{inner} *nested* {inner}**", f"__**{inner}**__", f"_{inner}_", f"({inner})", f'"{inner}"',
        f"“{inner}”",
        f"~~**{inner}** {inner}~~", f"||**{inner}** and `{inner}`||", f"``{inner} ` {inner}``",
        f"`{inner} || {inner}`",
        f"[{inner}](https://example.com/{random.randint(1, 999)})", f"(see {random.choice(URLS[:4])})",
    )  # fmt: skip
    strays = (
        "*",
        "2*3*4",
        "snake_case_name",
        '12"',
        "5'10\"",
        ":(",
        ":)",
        "1)",
        "a_b",
        "f(x",
        "a || b",
        "user's",
        "<b>",
        "@nobody",
        "**",
    )
    roll = random.random()
    if roll < 0.7:
        return random.choice(spans)
    if roll < 0.85:
        return random.choice(URLS + TAGS)
    return random.choice(strays)


def paragraph(random: Random) -> str:
    sentences = [sentence(random) for _ in range(random.randint(1, 6))]
    for _ in range(random.choice((0, 0, 1, 1, 2))):
        sentences.insert(
            random.randint(0, len(sentences)),
            f"{phrase(random, 1, 4)} {spice(random)} {phrase(random, 1, 4)}.",
        )
    return random.choice((" ", " ", " ", "\n")).join(sentences)


def long_paragraph(random: Random) -> str:
    """Over 1200 characters in one line; some have hardly any sentence end."""
    parts: list[str] = []
    while sum(map(len, parts)) < random.randint(1250, 2600):
        parts.append(
            sentence(random) if random.random() < 0.6 else phrase(random, 8, 20) + random.choice((",", ""))
        )
    return " ".join(parts)


def foreign(random: Random) -> str:
    language = random.choice(tuple(OTHERS))
    end = ENDS.get(language, ". ")
    return "".join(random.choice(OTHERS[language]) + end for _ in range(random.randint(2, 14))).rstrip()


def bullets(random: Random) -> str:
    """A list: numbered or not, nested or not, tight or loose, with its items' own paragraphs."""
    loose = random.random() < 0.3
    mark: Callable[[int], str] = random.choice(
        (lambda _: "- ", lambda _: "* ", lambda n: f"{n}. ", lambda n: f"{n}) ", lambda _: "• ")
    )
    lines = []
    for number in range(1, random.randint(3, 9)):
        extra = f" {spice(random)}" if random.random() < 0.3 else ""
        lines.append(f"{mark(number)}{phrase(random, 2, 12)}{extra}")
        if random.random() < 0.25:
            lines += [f"  - {phrase(random, 2, 6)}" for _ in range(random.randint(1, 3))]
            if random.random() < 0.4:
                lines.append(f"    1. {phrase(random, 2, 6)}")
        if random.random() < 0.1:
            lines.append(f"   {phrase(random, 4, 10)}.")
    return ("\n\n" if loose else "\n").join(lines)


def quote(random: Random) -> str:
    if random.random() < 0.15:
        return f"> {phrase(random)}\n> ```py\n> x = {random.randint(1, 99)}\n> ```\n> {phrase(random)}"
    return "\n".join(f"> {sentence(random)}" for _ in range(random.randint(1, 6)))


def heading(random: Random) -> str:
    return f"{'#' * random.randint(1, 4)} {phrase(random, 2, 6).title()}" + random.choice(
        ("", "", ". Part Two.")
    )


def subtext(random: Random) -> str:
    return f"-# {phrase(random, 3, 9)}. {phrase(random, 3, 6)}."


def table(random: Random) -> str:
    width = random.randint(2, 5)
    rows = [[phrase(random, 1, 3) for _ in range(width)] for _ in range(random.randint(2, 12))]
    rows[0][0] = random.choice((rows[0][0], "`x|y`", "a \\| b"))
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * width, *lines[1:]])


def spoiler(random: Random) -> str:
    inner = random.choice(
        (
            f"{sentence(random)}\n{sentence(random)}",
            f"{sentence(random)}\n\n{sentence(random)}",
            " ".join(sentence(random) for _ in range(9)),
        )
    )
    return f"{phrase(random, 1, 4)} ||{inner}|| {phrase(random, 1, 4)}."


def over_lines(random: Random) -> str:
    """A span that runs over a newline."""
    left, right = random.choice(
        (
            ("**", "**"),
            ("*", "*"),
            ("__", "__"),
            ("~~", "~~"),
            ('"', '"'),
            ("(", ")"),
            ("「", "」"),
            ("“", "”"),
        )
    )
    return f"{phrase(random, 1, 4)} {left}{phrase(random)}\n{phrase(random)}{right} {phrase(random, 1, 4)}."


def operators(random: Random) -> str:
    return f"If {phrase(random, 1, 2)} || {phrase(random, 1, 2)} holds, HMAC(K || M) is H(K || H(K || M))."


def captured(random: Random) -> str:
    """A thought or details for the memory, before, after or amid text."""
    name = random.choice(("think", "think", "THINK", "mm:think", "details", "details open"))
    close = name.split(" ")[0]
    inner = f"{sentence(random)}\n{spice(random)}"
    if name.startswith("details"):
        inner = f"<summary>{phrase(random, 1, 3)}</summary>\n{inner}"
    return (
        random.choice(("", f"{phrase(random, 1, 3)} "))
        + f"<{name}>{inner}</{close}>"
        + random.choice(("", f" {sentence(random)}"))
    )


def emoji_line(random: Random) -> str:
    return random.choice((" ", "")).join(random.choice(TAGS[:2]) for _ in range(random.randint(1, 4)))


def expressive(random: Random) -> str:
    mark = random.choice(("...", "…", ".", "?!?!", ",", "!"))
    return f"{phrase(random, 1, 4)}\n{mark}\n{phrase(random, 1, 4)}"


# --- Code in eight languages ----------------------------------------------------------------------


def _code_line(random: Random, language: str) -> str:
    name, other, number = random.choice(ENGLISH), random.choice(ENGLISH), random.randint(0, 999)
    lines = {
        "python": (
            f"{name} = {other}({number}, key='{name}')",
            f'print(f"{{{name}}} **not bold** {{{other}}}")',
            f"# {name} || {other}",
        ),
        "js": (
            f"const {name} = {other} || {number};",
            f"console.log(`${{{name}}} and ${{{other}}}`);",
            f"// {name} {other}",
        ),
        "rust": (
            f"let mut {name}: Vec<u8> = {other}::new();",
            f'println!("{{}}", {name});',
            f"if {name} || {other} {{ return; }}",
        ),
        "go": (
            f"{name}, err := {other}({number})",
            f'fmt.Println("{name}", {other})',
            "if err != nil { return err }",
        ),
        "sql": (
            f"SELECT {name}, {other} FROM {name}_{other} WHERE id = {number};",
            f"-- {name} {other}",
            "COMMIT;",
        ),
        "sh": (f"{name}=$(echo {number} | cut -d' ' -f1)", f"[ -f {name} ] || exit {number}", f"# {name}"),
        "html": (
            f'<div class="{name}">{other}</div>',
            f"<think>{name}</think>",
            f"<details>{other}</details>",
        ),
        "c++": (
            f"std::vector<int> {name}({number});",
            f"auto {name} = {other} << {number} || {name};",
            f"/* {name} */",
        ),
    }
    return random.choice(lines[language])


def code(random: Random, least: int = 2, most: int = 24) -> str:
    """A code block; indentation and blank lines matter, and some lines are longer than a small message."""
    language = random.choice(("python", "js", "rust", "go", "sql", "sh", "html", "c++"))
    lines = []
    for _ in range(random.randint(least, most)):
        depth = random.choice((0, 0, 1, 1, 2, 3))
        line = _code_line(random, language)
        if random.random() < 0.03:
            line += " # " + phrase(random, 20, 60)
        lines.append("    " * depth + line)
        if random.random() < 0.15:
            lines += [""] * random.randint(1, 2)
    while lines[-1] == "":
        lines.pop()
    tag = language if random.random() < 0.85 else ""
    return f"```{tag}\n" + "\n".join(lines) + "\n```"


def long_code(random: Random) -> str:
    """A code block over 2000 characters."""
    return code(random, 90, 120)


def introduced_code(random: Random) -> str:
    return f"{phrase(random)}:\n{code(random)}\n{phrase(random)}."


def listed_code(random: Random) -> str:
    body = "\n".join(f"   {line}" if line else "" for line in code(random, 1, 4).split("\n"))
    return f"1. {phrase(random)}:\n{body}\n2. {phrase(random)}\n3. {phrase(random)}"


def nested_fence(random: Random) -> str:
    """Four backticks around three."""
    return f"````md\n{phrase(random)}\n{code(random, 1, 4)}\n````"


BLOCKS: tuple[tuple[Callable[[Random], str], int], ...] = (
    (paragraph, 30), (long_paragraph, 4), (foreign, 8), (bullets, 12), (quote, 5), (heading, 8), (subtext,
    2), (table, 4),
    (spoiler, 5), (over_lines, 6), (operators, 2), (captured, 5), (emoji_line, 3), (expressive, 3), (code,
    6), (long_code, 2),
    (introduced_code, 8), (listed_code, 3), (nested_fence, 2),
)  # fmt: skip
