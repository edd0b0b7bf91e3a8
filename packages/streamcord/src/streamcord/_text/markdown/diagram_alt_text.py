"""Say what a Mermaid diagram shows, for people who cannot see it.

The words are those of the diagram. Only flowcharts and sequence diagrams are read as graphs; of other kinds the lines
are said as they are, without signs. https://mermaid.js.org/intro/
"""

from __future__ import annotations

import re

from ..._events.message import MAX_ALT_CHARS

MAX_PARTS = 60
"""Parts of a diagram that are said."""
MAX_LINE_CHARS = 300

_KINDS = (
    (r"(?:graph|flowchart)\b", "A flowchart"),
    (r"sequenceDiagram\b", "A sequence diagram"),
    (r"classDiagram", "A class diagram"),
    (r"stateDiagram", "A state diagram"),
    (r"erDiagram\b", "An entity diagram"),
    (r"gantt\b", "A Gantt chart"),
    (r"pie\b", "A pie chart"),
    (r"mindmap\b", "A mind map"),
    (r"timeline\b", "A timeline"),
    (r"journey\b", "A user journey"),
    (r"gitGraph\b", "A Git graph"),
    (r"quadrantChart\b", "A quadrant chart"),
    (r"xychart", "A chart"),
)
_IGNORED = re.compile(
    r"(?:%%|classDef\b|class\b|style\b|linkStyle\b|click\b|direction\b|end\b|accTitle|accDescr|autonumber|dateFormat|axisFormat)"
)
_FRONT_MATTER = re.compile(r"\A\s*---\n.*?\n---\n", re.DOTALL)
_LINK = re.compile(
    r"\s*(?:<|[xo](?=--))?(?:--|==|-\.)(?:(?P<inner>[^-=.>|\n][^->=|\n]{0,80}?)\s*(?:--|==|\.-))?[-=.]*[>xo]?"
    r"(?:\|(?P<label>[^|\n]{0,80})\|)?\s*"
)
_NODE = re.compile(
    r"(?P<id>[^\s\[\](){}<>&;|=-][^\s\[\](){}<>&;|=]{0,60}?)(?P<shape>[\[({>]+[^\n]*?[\])}]+)?(?::::?\w+)?$"
)
_EDGES = re.compile(r"[\[\](){}>/\\\"'` ]+")
_MESSAGE = re.compile(
    r"(?P<from>[^\s:<>-]{1,60})\s*<?<?--?(?:>>|>|x|\))[+-]?\s*(?P<to>[^\s:<>-]{1,60})\s*:\s*(?P<text>.*)"
)
_ALIAS = re.compile(r"(?:participant|actor)\s+(?P<id>\S+)\s+as\s+(?P<name>.+)")
_TAG = re.compile(r"<[^<>\n]{0,60}>")
_SIGNS = re.compile(r"[\[\](){}<>|\"`*_=~#;\\]+|--+|\.\.+")


def describe_diagram(code: str) -> str:
    """Return what a diagram shows, in words; never empty."""
    lines = [line.strip()[:MAX_LINE_CHARS] for line in _FRONT_MATTER.sub("", code).split("\n")]
    lines = [line for line in lines if line and not line.startswith("%%")]
    head = lines[0] if lines else ""
    if lines and re.match(r"(?:graph|flowchart)\b", head):
        # A semicolon ends a statement, as a line break does.
        lines = [one.strip() for line in lines for one in line.split(";") if one.strip()]
    kind = next((words for pattern, words in _KINDS if re.match(pattern, head)), "A diagram")
    body = [line for line in lines[1:] if not _IGNORED.match(line)]
    if kind == "A flowchart":
        parts = _say_edges(body)
    elif kind == "A sequence diagram":
        parts = _say_messages(body)
    else:
        parts = [_plain(line) for line in body]
        if inline := _plain(head.partition(" ")[2]):
            parts.insert(0, inline)
    said = "; ".join(part for part in parts[:MAX_PARTS] if part)
    words = f"{kind}: {said}" if said else kind
    return words if len(words) <= MAX_ALT_CHARS else words[: MAX_ALT_CHARS - 1].rpartition(" ")[0] + "…"


def _say_edges(lines: list[str]) -> list[str]:
    """Say which node leads to which; a node alone is said by its name."""
    names: dict[str, str] = {}
    edges: list[tuple[list[str], str, list[str]]] = []
    alone: list[str] = []
    for line in lines:
        if line.startswith("subgraph"):
            alone.append(_plain(line.removeprefix("subgraph")))
            continue
        nodes: list[list[str]] = []
        labels: list[str] = []
        at = 0
        text = line
        for link in _LINK.finditer(text):
            if _depth(text, link.start()):
                continue  # an arrow in a label
            nodes.append(_read_nodes(text[at : link.start()], names))
            labels.append(_plain(link["label"] or link["inner"] or ""))
            at = link.end()
        nodes.append(_read_nodes(text[at:], names))
        edges += zip(nodes, labels, nodes[1:], strict=False)
        alone += nodes[0] if not labels else []
    said = []
    for sources, label, targets in edges:
        leads = f"{_names(sources, names)} leads to {_names(targets, names)}"
        said.append(f"{leads} ({label})" if label else leads)
    linked = {node for sources, _, targets in edges for node in (*sources, *targets)}
    return [*said, *(names.get(one, one) for one in dict.fromkeys(alone) if one not in linked)]


def _depth(text: str, at: int) -> int:
    """Return how many brackets and quotes are open at a position."""
    before = text[:at]
    opened = sum(before.count(one) for one in "[({") - sum(before.count(one) for one in "])}")
    return max(0, opened) + before.count('"') % 2


def _read_nodes(text: str, names: dict[str, str]) -> list[str]:
    """Return the ids of `A[Start] & B`, and remember their names."""
    ids: list[str] = []
    for one in text.split(" & "):
        if found := _NODE.match(one.strip()):
            ids.append(found["id"])
            if found["shape"] and (name := _plain(_EDGES.sub(" ", found["shape"]))):
                names[found["id"]] = name
    return ids


def _names(ids: list[str], names: dict[str, str]) -> str:
    return " and ".join(names.get(one, one) for one in ids) or "nothing"


def _say_messages(lines: list[str]) -> list[str]:
    names: dict[str, str] = {}
    said: list[str] = []
    for line in lines:
        if alias := _ALIAS.match(line):
            names[alias["id"]] = _plain(alias["name"])
        elif found := _MESSAGE.match(line):
            sender, receiver = (names.get(found[one], found[one]) for one in ("from", "to"))
            said.append(f"{sender} to {receiver}: {_plain(found['text'])}")
        elif not line.startswith(("participant", "actor", "activate", "deactivate")):
            said.append(_plain(line))
    return said


def _plain(text: str) -> str:
    """Return a text without tags and signs."""
    return " ".join(_SIGNS.sub(" ", _TAG.sub(" ", text)).split()).strip(" -:")
