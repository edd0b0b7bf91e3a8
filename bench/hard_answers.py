# ruff: noqa: E501, ISC003 - a line for each answer
"""Sixty answers that are hard to show while they are written: three sets of twenty (kind, text) pairs."""

from __future__ import annotations

from random import Random

__all__ = ["SETS"]

_LATIN = (
    "the harbour starts before the town does", "a ferry leaves at six, half empty",
    "no one asks the gulls what they think of it", "coffee is made in the back",
    "two men mend a net and do not talk", "the light changes from grey to white",
    "by noon the market smells of oranges", "children run down the steps to the water",
    "an old radio plays songs that everyone knows", "in the evening the lamps go on one by one",
)  # fmt: skip
_SCRIPTS = {
    "Japanese": ("港は町より早く目を覚まします", "六時に船が出て行きます", "誰もカモメの気持ちを聞きません",
                 "奥の部屋でコーヒーを淹れます", "光は灰色から白へ変わります", "夕方になると灯りがともります"),
    "Chinese": ("港口比城市更早醒来", "六点钟有一班渡船离开", "没有人问海鸥在想什么", "后面的房间里煮着咖啡",
                "光线从灰色变成白色", "傍晚时分灯一盏一盏地亮起来"),
    "Korean": ("항구는 마을보다 먼저 깨어난다", "여섯 시에 배가 떠난다", "아무도 갈매기의 생각을 묻지 않는다",
               "뒷방에서 커피를 끓인다", "빛은 회색에서 흰색으로 바뀐다", "저녁이면 등불이 하나씩 켜진다"),
    "Arabic": ("يستيقظ الميناء قبل المدينة", "تغادر العبارة في السادسة", "لا أحد يسأل النوارس عن رأيها",
               "تُصنع القهوة في الغرفة الخلفية", "يتغير الضوء من الرمادي إلى الأبيض"),
    "Hebrew": ("הנמל מתעורר לפני העיר", "המעבורת יוצאת בשש בבוקר", "איש אינו שואל את השחפים",
               "מכינים קפה בחדר האחורי", "האור משתנה מאפור ללבן"),
    "Hindi": ("बंदरगाह शहर से पहले जागता है", "छह बजे नाव निकलती है", "कोई पक्षियों से नहीं पूछता",
              "पीछे के कमरे में कॉफ़ी बनती है", "रोशनी धूसर से सफ़ेद हो जाती है"),
    "Russian": ("гавань просыпается раньше города", "паром уходит в шесть часов", "никто не спрашивает чаек",
                "в задней комнате варят кофе", "свет меняется с серого на белый"),
    "Thai": ("ท่าเรือตื่นก่อนเมือง", "เรือออกตอนหกโมงเช้า", "ไม่มีใครถามนกนางนวล", "กาแฟต้มอยู่ในห้องหลัง",
             "แสงเปลี่ยนจากสีเทาเป็นสีขาว"),
}  # fmt: skip
_ENDS = {"Japanese": "。", "Chinese": "。", "Hindi": "। ", "Thai": " "}
_COMMAS = {"Japanese": "、", "Chinese": "，", "Arabic": "، ", "Thai": " "}
_RANDOM = Random(13)


def _prose(length: int) -> str:
    """Return sentences of one to three clauses, of that length."""
    text = ""
    while len(text) < length:
        clauses = _RANDOM.sample(_LATIN, _RANDOM.randint(1, 3))
        sentence = ", and ".join(clauses) + _RANDOM.choice((". ", ". ", "! ", "? "))
        text += sentence[0].upper() + sentence[1:]
    return text[:length].rstrip()


def _script(name: str, length: int) -> str:
    """Do the same in another script."""
    text = ""
    while len(text) < length:
        clauses = _RANDOM.sample(_SCRIPTS[name], _RANDOM.randint(1, 2))
        text += _COMMAS.get(name, ", ").join(clauses) + _ENDS.get(name, ". ")
    return text[:length].rstrip()


def _table(rows: int, columns: int, words: int = 2) -> str:
    def line(cells: list[str]) -> str:
        return f"| {' | '.join(cells)} |\n"

    cells = [[" ".join(_prose(60).split()[:words]) for _ in range(columns)] for _ in range(rows)]
    head = line([f"column {number}" for number in range(columns)]) + "|---" * columns + "|\n"
    return head + "".join(map(line, cells))


def _code(lines: int) -> str:
    steps = ("total = total + weight[{0}] * price[{0}]", "if total > limit_{0}:", "    return total - {0}",
             "# the next one is a little slower, see above", "", "names[{0}] = load('{0}.json')")  # fmt: skip
    return "".join(f"    {steps[number % 6].format(number)}\n" for number in range(lines))


def _items(count: int, length: int, mark: str = "- ") -> str:
    return "".join(f"{mark}**Point {number}**: {_prose(length)}\n" for number in range(1, count + 1))


_FORMS = [
    ("table", f"{_table(8, 3)}\n{_prose(300)}\n"),
    ("table", f"{_prose(90)}\n\n{_table(30, 5)}\n{_prose(120)}\n\n{_table(6, 2)}\nDone.\n"),
    ("table", f"# Compared\n\n{_table(4, 8, 5)}\n## And then\n\n{_prose(700)}\n"),
    ("code", f"```python\ndef walk(limit_0):\n{_code(140)}```\n"),
    ("code", f"{_prose(60)}\n\n```rust\n{_code(40)}```\n\n{_prose(200)}\n\n```\n{_code(30)}```\n{_prose(90)}\n"),
    ("code", f"{_prose(140)}\n\n````markdown\n# Readme\n\n```sh\npip install x\n```\n\n{_prose(600)}\n````\nSo.\n"),
    ("code", f"Here is the log:\n```\n{_code(230)}```\n{_prose(200)}\n"),
    ("code", f"~~~js\n{_code(60)}~~~\n{_prose(400)}\n"),
    ("list", f"{_prose(200)}\n\n{_items(12, 140)}\n{_prose(160)}\n"),
    ("list", "".join(f"{n}. {_prose(50)}\n   - {_prose(40)}\n   - {_prose(60)}\n" for n in range(1, 16))),
    ("list", f"## Shopping\n\n{_items(30, 20, '* ')}\n## Doing\n\n{_items(20, 30, '- [ ] ')}"),
    ("quote", "".join(f"> {_prose(180)}\n" for _ in range(9)) + f"\n{_prose(300)}\n"),
    ("quote", f">>> {_prose(900)}\n{_prose(300)}\n"),
    ("maths", r"The energy is \(E = mc^2\), so \[ \int_0^1 x^2\,dx = \frac{1}{3} \] and "
     + f"{_prose(200)}\n\n$$\n\\sum_{{n=1}}^{{\\infty}} \\frac{{1}}{{n^2}} = \\frac{{\\pi^2}}{{6}}\n$$\n\n{_prose(500)}\n"),
    ("maths", "".join(f"{n}. Let $x_{n}$ be such that $x_{n}^2 \\le {n}$. {_prose(80)}\n" for n in range(1, 14))),
    ("maths", r"\begin{align}a &= b + c \\ d &= e\end{align}" + f"\n\n{_prose(800)}\n"),
    ("essay", _prose(700)),
    ("essay", _prose(1900)),
    ("essay", _prose(3700)),
    ("essay", "\n\n".join(_prose(520) for _ in range(7))),
]  # fmt: skip

_LANGUAGES = [
    *((f"{name}, one line", _script(name, 1100)) for name in _SCRIPTS),
    *((f"{name}, paragraphs", "\n\n".join(_script(name, 420) for _ in range(4))) for name in _SCRIPTS),
    ("Japanese, list", "".join(f"- **{_script('Japanese', 12)}**：{_script('Japanese', 70)}\n" for _ in range(12))),
    ("Chinese, table", "| 名字 | 说明 |\n|---|---|\n" + "".join(
        f"| {_script('Chinese', 5)} | {_script('Chinese', 9)} |\n" for _ in range(14)) + _script("Chinese", 500)),
    ("Arabic, long", _script("Arabic", 4200)),
    ("mixed", f"{_script('Japanese', 60)} {_prose(200)} {_script('Korean', 200)} (`{_code(1).strip()}`) {_prose(300)}"),
]  # fmt: skip

_ODD = [
    ("line of 9 000", _prose(9000)),
    ("line of 9 000", _script("Chinese", 9000)),
    ("line of 9 000", _script("Arabic", 9000)),
    ("line of 9 000", "word" * 2250),
    ("line of 9 000", f"{_prose(80)}\n{_script('Japanese', 9000)}"),
    ("line of 9 000", " ".join(f"**{_prose(30)}** {_prose(60)}" for _ in range(95))[:9000]),
    ("spoilers", f"The butler? ||{_prose(300)}|| And the maid? ||{_prose(700)}|| {_prose(90)}\n"),
    ("spoilers", f"{_prose(60)}\n\n||{_prose(1500)}||\n\n{_prose(300)}\n"),
    ("spoilers", "".join(f"- Round {n}: ||{_prose(40)}||\n" for n in range(1, 25))),
    ("story", "\n\n".join(f"*{_prose(50)}* \"{_prose(90)}\" *{_prose(70)}*" for _ in range(12))),
    ("story", "".join(f"“{_prose(70)}” she said, *{_prose(30)}* — {_prose(60)}\n\n" for _ in range(8))),
    ("headings", "".join(f"## Part {n}\n\n{_prose(160)}\n\n### Detail\n\n{_prose(240)}\n\n" for n in range(1, 7))),
    ("headings", "".join(f"**Part {n}**\n{_prose(200)}\n\n---\n\n" for n in range(1, 9))),
    ("links", " ".join(f"See [the {n}th guide](https://example.com/guide/{n}?x=1) first. {_prose(80)}" for n in range(12))),
    ("links", "".join(f"{n}. https://example.org/a/b/{n} – {_prose(60)}\n" for n in range(1, 20))),
    ("short", "Yes."),
    ("short", f"{_prose(70)}\n"),
    ("short", f"Sure! 😄\n\n{_prose(160)}\n"),
    ("never closed", f"{_prose(50)}\n```c\n{_code(120)}"),
    ("never closed", f"**{_prose(60)} (and {_prose(600)}"),
]  # fmt: skip

SETS = {"forms": _FORMS, "languages": _LANGUAGES, "odd": _ODD}
