"""Draws twenty tables as they would be sent, and one sheet with all of them at the size at which Discord shows them.

python tools/draw_gallery.py [FOLDER]      build/gallery by default; the sheet is gallery.png in it
"""

from __future__ import annotations

import sys
from io import BytesIO
from pathlib import Path

from PIL import Image, ImageDraw

from streamcord import Pipeline, Settings, Table
from streamcord._render.table_image import TableRenderer

ROOT = Path(__file__).parent.parent
BOX = (550, 350)
"""Where Discord's desktop client shows a picture."""


def grid(columns: int, rows: int, cell: str = "{row}.{column}") -> str:
    head = (
        "| "
        + " | ".join(f"Column {number}" for number in range(1, columns + 1))
        + " |\n"
        + "|---" * columns
        + "|\n"
    )
    lines = ("| " + " | ".join(cell.format(row=row, column=column) for column in range(1, columns + 1)) + " |\n"
             for row in range(1, rows + 1))  # fmt: skip
    return head + "".join(lines)


def pairs(head: str, *rows: str) -> str:
    columns = head.count("|") + 1
    return f"| {head} |\n{'|---' * columns}|\n" + "".join(f"| {row} |\n" for row in rows)


TABLES = {
    "two columns": pairs("Name | Age", "Ann | 31", "Bob | 7"),
    "styles": pairs("Markdown | Looks", "bold | **strong words**", "italic | *soft words*", "both | ***loud***",
                    "strike | ~~gone~~", "underline | __marked__", "code | `x = 1`", "link | [docs](https://example.com/docs)"),
    "alignment": "| Left | Middle | Right |\n|:--|:-:|--:|\n| a | b | 1 |\n| longer | longer | 1 000 |\n| x | y | 23.50 |\n",
    "prices": "| Plan | Users | Price |\n|---|--:|--:|\n| Free | 1 | €0 |\n| Team | 10 | €25 / month |\n| Firm | ∞ | £1 200 |\n",
    "code": pairs("Method | Returns | Raises", "`list.pop(i)` | the item | `IndexError`", "`dict.get(k, d)` | `d` if missing | –",
                  "`int(\"x\")` | – | `ValueError`", "`a[i:j]` | a slice | –"),
    "comparison": pairs("Feature | SQLite | PostgreSQL", "Server | no ❌ | yes ✅", "One file | yes ✅ | no ❌",
                        "Concurrent writers | one at a time | many", "Full-text search | FTS5 | `tsvector`"),
    "long words": pairs("German | English", "Donaudampfschifffahrtsgesellschaft | Danube steamship company",
                        "Rechtsschutzversicherungsgesellschaften | legal insurance companies"),
    "one long cell": pairs("Step | What to do", "1 | Open the settings", "2 | " + "Read every word of this, which goes on for a while. " * 5, "3 | Close them"),
    "addresses": pairs("Site | Address", "Docs | https://docs.example.com/a/very/long/path/to/some/page.html?with=query", "Home | https://example.com"),
    "seven columns": pairs("Day | Mon | Tue | Wed | Thu | Fri | Sat", "Morning | maths | art | PE | maths | music | –", "Noon | lunch | lunch | lunch | lunch | lunch | –", "Evening | chess | – | choir | – | film | sleep"),
    "twelve columns": grid(12, 4, "{row}{column}"),
    "thirty rows": grid(3, 30, "row {row}"),
    "sixty rows": pairs("No. | Element | Symbol", *(f"{number} | Element number {number} | E{number}" for number in range(1, 61))),
    "Europe": pairs("Language | Words", "Polish | Zażółć gęślą jaźń", "Czech | Příliš žluťoučký kůň", "Hungarian | Árvíztűrő tükörfúrógép",
                    "Turkish | Pijamalı hasta yağız şoföre", "Icelandic | Kæmi ný öxi hér", "Greek | Ξεσκεπάζω την ψυχοφθόρα", "Ukrainian | Чуєш їх, доцю, ґава"),
    "right to left": pairs("עברית | العربية | English", "שלום עולם | مرحبا بالعالم | hello world", "גרסה 3.12 של Python | الإصدار 3.12 | version 3.12", "**מודגש** | **غامق** | **bold**"),
    "India and Thailand": pairs("Language | Words", "Hindi | नमस्ते दुनिया, क्षत्रिय ज्ञान", "Marathi | लाडका ऋषी", "Thai | สวัสดีชาวโลก ที่นี่ภาษาไทย"),
    "East Asia": pairs("言語 | 例 | 意味", "日本語 | こんにちは、世界！ | hello, world", "中文 | 你好，世界！ | hello, world", "한국어 | 안녕하세요, 여러분! | hello, all"),
    "emoji": pairs("What | Which", "smileys | 😀 😂 🥲 😡", "people | 👨‍👩‍👧‍👦 👍🏽 🧑🏿‍🚀", "flags | 🇯🇵 🇩🇪 🏳️‍🌈", "signs | ✅ ❌ ⚠️ ☀ 1️⃣ ❤️"),
    "mathematics": pairs("Name | Formula", "sum | ∑ xᵢ = n·x̄", "roots | √2 ≈ 1.414…, ∛8 = 2", "sets | ∀x ∈ ℝ: x² ≥ 0", "arrows | a → b ⇒ ¬b → ¬a", "units | 90°, 5 µm, 3 Å, ½ ℓ, ₹ ₿ €"),
    "line breaks": pairs("Who | Says", "Ann | First line<br>second line<br>third", "Bob | one line"),
}  # fmt: skip


def read_tables(text: str) -> list[Table]:
    pipeline = Pipeline(Settings(message_cap=0))
    events = [*pipeline.feed(text), *pipeline.flush()]
    return [file for event in events for file in getattr(event, "files", ()) if isinstance(file, Table)]


def draw(folder: Path) -> list[tuple[str, Image.Image]]:
    renderer = TableRenderer()
    pictures: list[tuple[str, Image.Image]] = []
    for name, text in TABLES.items():
        for number, table in enumerate(read_tables(text), 1):
            drawn = renderer.draw(table)
            label = f"{name} {number}" if number > 1 else name
            if drawn is None:
                print(f"{label}: not drawn", file=sys.stderr)
                continue
            (folder / f"{label.replace(' ', '-')}.png").write_bytes(drawn.content)
            pictures.append((label, Image.open(BytesIO(drawn.content))))
    return pictures


def sheet(pictures: list[tuple[str, Image.Image]]) -> Image.Image:
    """All pictures as Discord shows them, two in a row, each with its name and the size of its letters."""
    cell = (BOX[0] + 20, BOX[1] + 40)
    page = Image.new("RGB", (2 * cell[0], (len(pictures) + 1) // 2 * cell[1]), "#1e1f22")
    pen = ImageDraw.Draw(page)
    for index, (name, picture) in enumerate(pictures):
        x, y = index % 2 * cell[0] + 10, index // 2 * cell[1]
        factor = min(BOX[0] / picture.width, BOX[1] / picture.height, 1)
        pen.text((x, y + 8), f"{name}: letters of {32 * factor:.0f} px", fill="#b5bac1", font_size=14)
        shown = picture.resize(
            (max(1, round(picture.width * factor)), max(1, round(picture.height * factor)))
        )
        page.paste(shown, (x, y + 30))
    return page


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build" / "gallery"
    folder.mkdir(parents=True, exist_ok=True)
    pictures = draw(folder)
    sheet(pictures).save(folder / "gallery.png", optimize=True)
    print(f"{len(pictures)} pictures of {len(TABLES)} tables in {folder}")


if __name__ == "__main__":
    main()
