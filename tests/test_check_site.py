"""The check of the built site finds what it is for, and the pages of the site are those that are there."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
sys.path.append(str(ROOT / "tools"))

from check_site import check  # noqa: E402

DOCS = ROOT / "docs"
PAGES = sorted(
    [*ROOT.glob("*.md"), *DOCS.rglob("*.md"), *ROOT.glob("examples/*.md"), *ROOT.glob("bench/**/*.md")]
)
LINK = re.compile(r"\]\(<?([^)\s>]+)>?\)")
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.DOTALL | re.MULTILINE)


def site(folder: Path, body: str) -> Path:
    (folder / "a.html").write_text(f"<html><body>{body}</body></html>")
    (folder / "b.html").write_text("<h1 id='here'>Here</h1>")
    (folder / "style.css").write_text("a { background: url(b.png) }")
    return folder


@pytest.mark.parametrize(
    "body",
    [
        "<a href='b.html'>b</a> <a href='b.html#here'>b</a> <a href='#x'>x</a> <p id='x'>",
        "<a href='https://example.com/'>others</a> <a href='mailto:a@example.com'>",
        "<link rel='stylesheet' href='style.css'> <img src='data:image/png;base64,eA=='>",
        "<p>One 3. two</p><pre><p>a\n- b</p></pre><ul><li><p>a</p></li></ul>",
        "<link rel='canonical' href='https://example.com/a.html'>",
    ],
)
def test_a_good_page_is_good(body: str, tmp_path: Path) -> None:
    assert check(site(tmp_path, body)) == []


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ("<a href='c.html'>", "a.html links to c.html, which is not there"),
        ("<a href='b.html#there'>", "a.html links to b.html#there, which is not there"),
        ("<a href='#nowhere'>", "a.html links to #nowhere, which is not there"),
        ("<img src='c.png'>", "a.html links to c.png, which is not there"),
        ("<img src='https://example.com/c.png'>", "fetches https://example.com/c.png from elsewhere"),
        ("<script src='//example.com/x.js'></script>", "fetches //example.com/x.js from elsewhere"),
        ("<link rel='preconnect' href='https://fonts.example.com'>", "from elsewhere"),
        ("<p>It is done.\n3. Then start it.</p>", "a list item inside a paragraph: 3. Then start it."),
        ("<pre class='mermaid'>", "a diagram, for which the theme asks another server"),
        ("<div class='x' data-md-component='source'>", "a repository, for which the theme asks another"),
    ],
)
def test_a_fault_is_found(body: str, fault: str, tmp_path: Path) -> None:
    (found,) = check(site(tmp_path, body))

    assert fault in found


def test_a_style_that_loads_from_elsewhere_is_found(tmp_path: Path) -> None:
    (site(tmp_path, "") / "style.css").write_text('@import "https://example.com/font.css";')

    assert check(tmp_path) == ["style.css loads something from elsewhere"]


def test_an_empty_site_is_a_fault(tmp_path: Path) -> None:
    assert check(tmp_path) == [f"{tmp_path} holds no pages"]


def test_every_page_is_in_the_navigation_and_the_other_way_round() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    named = re.findall(r"[\w/-]+\.md", navigation)

    assert sorted(named) == sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))


@pytest.mark.parametrize("path", PAGES)
def test_every_link_between_pages_leads_to_a_file(path: Path) -> None:
    text = CODE.sub("", path.read_text(encoding="utf-8"))
    links = [link.partition("#")[0] for link in LINK.findall(text) if "://" not in link]

    assert [link for link in links if link and not (path.parent / link).exists()] == []
