"""Draws docs/demo.png: plays a few lines of the demo on the real bot and draws what the local Discord received.

The words are the demo's script (a model would say something else each time); everything else is what happened.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import sys
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont
from rich.console import Console

from discord_twin import Message
from streamcord._render.fonts import find_fonts
from streamcord._text.markdown.client_renderer import MarkupCode, MarkupLine, Quote, StyledRun, read_message
from streamcord_bot.demo.guild import AVATARS, draw_avatar
from streamcord_bot.demo.runner import Demo
from streamcord_bot.demo.screen import Screen
from streamcord_bot.demo.session import DemoSession
from streamcord_bot.demo.user import DemoUser

ROOT = Path(__file__).parent.parent
LINES = ("#general", "show me a table", "show me your sprites", "roll two dice")

SCALE = 2
WIDTH, SIDE, LEFT, GAP = 860, 190, 72, 4
PAGE, PANEL, CODE, INK, QUIET, LINK, BADGE = (
    "#313338", "#2b2d31", "#1e1f22", "#dbdee1", "#949ba4", "#00a8fc", "#5865f2",
)  # fmt: skip
NAMES = {"Luna": "#c9b8ff", "Orbit": "#7fe0d4", "you": "#f2f3f5"}


def font(size: float, *, bold: bool = False, code: bool = False) -> ImageFont.FreeTypeFont:
    fonts = find_fonts()
    letters = fonts.find("a", code=code)
    assert letters is not None
    return fonts.font(letters, round(size * SCALE), bold=bold).font


class Sheet:
    """A page that grows downward; coordinates are in plain pixels, everything is drawn larger."""

    def __init__(self, height: int) -> None:
        self.image = Image.new("RGB", (WIDTH * SCALE, height * SCALE), PAGE)
        self.draw = ImageDraw.Draw(self.image)
        self.y = 14.0

    def text(
        self,
        x: float,
        y: float,
        words: str,
        size: float = 14,
        *,
        ink: str = INK,
        bold: bool = False,
        code: bool = False,
    ) -> float:
        chosen_font = font(size, bold=bold, code=code)
        self.draw.text((x * SCALE, y * SCALE), words, fill=ink, font=chosen_font)
        return x + chosen_font.getlength(words) / SCALE

    def paste(
        self, x: float, y: float, content: bytes, side: float, *, circle: bool = False, width: float = 0
    ) -> float:
        picture = Image.open(io.BytesIO(content)).convert("RGB")
        wide = width or side
        tall = wide * picture.height / picture.width
        picture = picture.resize((round(wide * SCALE), round(tall * SCALE)), Image.Resampling.LANCZOS)
        mask = None
        if circle:
            mask = Image.new("L", picture.size, 0)
            ImageDraw.Draw(mask).ellipse((0, 0, *picture.size), fill=255)
        self.image.paste(picture, (round(x * SCALE), round(y * SCALE)), mask)
        return tall

    def box(self, x: float, y: float, right: float, bottom: float, fill: str, radius: float = 4) -> None:
        self.draw.rounded_rectangle(
            [v * SCALE for v in (x, y, right, bottom)], radius=radius * SCALE, fill=fill
        )


def draw_words(sheet: Sheet, x: float, y: float, runs: tuple[StyledRun, ...], right: float) -> float:
    """Runs of one line, wrapped; returns the next free y."""
    at, height = x, 20.0
    for run in runs:
        if "emoji" in run.styles and run.text.strip(":") in AVATARS:
            side = 38.0 if len(runs) == 1 else 20.0
            sheet.paste(at, y, draw_avatar(AVATARS[run.text.strip(":")]), side)
            at, height = at + side + 2, max(height, side + 4)
            continue
        bold, ink = "bold" in run.styles, LINK if "link" in run.styles else INK
        for word in run.text.replace(" ", " \0").split("\0"):
            if at + font(14, bold=bold).getlength(word) / SCALE > right:
                at, y = x, y + 20
            at = sheet.text(at, y, word, ink=ink, bold=bold)
    return y + height


def draw_blocks(sheet: Sheet, content: str, x: float, right: float) -> None:
    for block in read_message(content):
        match block:
            case MarkupLine():
                at = sheet.text(x, sheet.y, block.lead) if block.lead else x
                sheet.y = draw_words(sheet, at, sheet.y, block.runs, right)
            case MarkupCode():
                rows = block.text.split("\n")
                sheet.box(x, sheet.y + 2, right, sheet.y + 14 + 17 * len(rows), CODE)
                for number, row in enumerate(rows):
                    sheet.text(x + 8, sheet.y + 6 + number * 17, row, 12, code=True)
                sheet.y += 20 + 17 * len(rows)
            case Quote():
                pass


def draw_message(sheet: Sheet, message: Message, picture: bytes, *, heads: bool) -> None:
    x, right = SIDE + LEFT, WIDTH - 24
    if message.draft.reply_to is not None:
        target = message.draft.reply_to
        sheet.y += 8
        sheet.box(SIDE + 38, sheet.y + 7, x - 6, sheet.y + 9, "#4e5058", 0)
        sheet.box(SIDE + 38, sheet.y + 7, SIDE + 40, sheet.y + 16, "#4e5058", 0)
        sheet.text(x, sheet.y, f"@{target.shown_name}  {target.content[:60]}", 12, ink=QUIET)
        sheet.y += 16
    if heads:
        sheet.y += 6 if message.draft.reply_to else 12
        sheet.paste(SIDE + 18, sheet.y, picture, 40, circle=True)
        name = message.shown_name
        at = sheet.text(x, sheet.y - 2, name, 15, ink=NAMES.get(name.split(" ")[0], INK), bold=True)
        if message.by_machine:
            sheet.box(at + 6, sheet.y + 3, at + 36, sheet.y + 17, BADGE, 3)
            sheet.text(at + 10, sheet.y + 3, "APP", 10, ink="#ffffff", bold=True)
        sheet.y += 21
    draw_blocks(sheet, message.content, x, right)
    for file in message.attachments:
        sheet.y += GAP + sheet.paste(
            x, sheet.y + 2, file.content, 0, width=min((file.width or 400) / 2, right - x)
        )
    inner = [one for row in message.draft.components for one in row.get("components", ())]
    for number, one in enumerate(inner):
        left = x + number * 104
        sheet.box(left, sheet.y + 4, left + 96, sheet.y + 32, "#4e5058", 4)
        label = one["label"]
        wide = font(13).getlength(label) / SCALE
        sheet.text(left + 48 - wide / 2, sheet.y + 8, label, 13, ink="#ffffff")
    sheet.y += 38 if inner else 0


def draw_side(sheet: Sheet, server: str, channels: list[str], here: str, height: float) -> None:
    sheet.box(0, 0, SIDE, height, PANEL, 0)
    sheet.text(16, 16, server, 15, ink="#f2f3f5", bold=True)
    for number, name in enumerate(channels):
        y = 54 + number * 32
        if name == here:
            sheet.box(8, y - 4, SIDE - 8, y + 24, "#404249")
        sheet.text(18, y, f"#  {name}", 14, ink="#f2f3f5" if name == here else QUIET)


def draw(demo: Demo) -> bytes:
    channel = demo.twin.channel
    digests = {
        url: demo.twin.state.pictures[url.rpartition("/")[2].partition(".")[0]]
        for url in demo.guild.pictures.values()
    }
    you = draw_avatar(AVATARS["star"])
    sheet, last = Sheet(1600), ("", "")
    for message in channel.messages.values():
        url = message.draft.avatar_url or demo.guild.pictures["luna"]
        heads = (message.shown_name, url) != last or message.draft.reply_to is not None
        last = (message.shown_name, url)
        draw_message(sheet, message, digests[url] if message.by_machine else you, heads=heads)
    height = sheet.y + 16
    draw_side(
        sheet,
        demo.twin.guild.name,
        [one.name for one in demo.twin.state.channels.values()],
        channel.name,
        height,
    )
    out = io.BytesIO()
    picture = sheet.image.crop((0, 0, WIDTH * SCALE, round(height * SCALE)))
    picture.quantize(128, dither=Image.Dither.NONE).save(out, "PNG", optimize=True)
    return out.getvalue()


async def play() -> bytes:
    options = argparse.Namespace(
        provider=None, model=None, base_url=None, scripted=True, no_install=True, fast=True, script=None
    )
    console = Console(file=io.StringIO(), width=100)
    async with Demo(options, console) as demo:
        person = DemoUser(demo.twin, Screen(console), lambda: demo.app.dispatcher.is_idle)
        session = DemoSession(person)
        for line in LINES:
            await session.follow(line)
        await session.wait_for_answer()
        return draw(demo)


def main() -> int:
    target = ROOT / "docs" / "demo.png"
    content = asyncio.run(play())
    target.write_bytes(content)
    print(f"{target.relative_to(ROOT)}: {len(content) // 1024} KiB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
