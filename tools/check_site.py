"""Looks through a built site: does every link lead somewhere, and is nothing loaded from elsewhere?

    python tools/check_site.py build/site

Links to other sites are fine, people follow them if they like; what a browser fetches by itself must be ours.
"""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from os.path import normpath
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

FETCHED = {
    "audio": "src", "embed": "src", "iframe": "src", "img": "src", "link": "href", "object": "data",
    "script": "src", "source": "src", "video": "src",
}  # fmt: skip
# What Material for MkDocs would ask others for, if a page had it: the stars of a repository, and diagrams.
LOADED_FROM_ELSEWHERE = {"data-md-component=source": "a repository", "class=mermaid": "a diagram"}
_PRE = re.compile(r"<pre\b.*?</pre>", re.DOTALL)
# Python-Markdown wants a blank line before a list; without one the item is a line of the paragraph above it.
_SWALLOWED_ITEM = re.compile(r"<p>(?:(?!</p>).)*?\n((?:[-*]|\d+\.) [^\n<]{0,40})", re.DOTALL)
_IN_STYLES = re.compile(r"""(?:url\(\s*['"]?|@import\s+['"])(https?:)?//""")


class Page(HTMLParser):
    """One page: what can be linked to in it, where it links, and what it makes a browser fetch."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.asks: list[str] = []
        text = path.read_text(encoding="utf-8")
        self.swallowed = _SWALLOWED_ITEM.findall(_PRE.sub("", text))
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.anchors |= {found[name] for name in ("id", "name") if name in found}
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        elif (address := found.get(FETCHED.get(tag, ""), "")) and found.get("rel") != "canonical":
            self.fetched.append(address)
        marks = {f"{name}={part}" for name, value in found.items() for part in value.split()}
        self.asks += [what for mark, what in LOADED_FROM_ELSEWHERE.items() if mark in marks]


def check(site: Path) -> list[str]:
    """What is wrong, in sentences; an empty list is good."""
    site = site.resolve()
    pages = {path: Page(path) for path in sorted(site.rglob("*.html"))}
    faults = [] if pages else [f"{site} holds no pages"]
    for path, page in pages.items():
        name = path.relative_to(site).as_posix()
        faults += [
            f"{name} fetches {address} from elsewhere" for address in page.fetched if is_outside(address)
        ]
        faults += [f"{name} shows {what}, for which the theme asks another server" for what in page.asks]
        faults += [f"{name} has a list item inside a paragraph: {item}" for item in page.swallowed]
        # A page for wrong addresses is shown under any address, so its links begin at the root.
        inside = [
            link for link in (*page.links, *page.fetched) if not is_outside(link) and name != "404.html"
        ]
        faults += [
            f"{name} links to {link}, which is not there" for link in inside if not leads(path, link, pages)
        ]
    for path in sorted(site.rglob("*.css")):
        if _IN_STYLES.search(path.read_text(encoding="utf-8")):
            faults.append(f"{path.relative_to(site).as_posix()} loads something from elsewhere")
    return faults


def is_outside(address: str) -> bool:
    parts = urlsplit(address)
    return bool(parts.netloc) or parts.scheme not in {"", "data"}


def leads(path: Path, link: str, pages: dict[Path, Page]) -> bool:
    if link.startswith("data:"):
        return True
    address, anchor = urldefrag(unquote(link))
    target = Path(normpath(path.parent / address.partition("?")[0])) if address else path
    if target in pages:
        return not anchor or anchor in pages[target].anchors
    return target.is_file() or (target / "index.html") in pages


def main() -> None:
    site = Path(sys.argv[1])
    faults = check(site)
    print(*faults, sep="\n", end="\n" if faults else "")
    print(f"docs: {len([*site.rglob('*.html')])} pages, {len(faults)} faults")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
