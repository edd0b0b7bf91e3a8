"""An MCP server that lies, floods, hangs and dies, written without the SDK."""

from __future__ import annotations

import base64
import json
import os
import sys
import time
from typing import Any

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(24)).decode()


def write(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def tool(name: str, schema: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": schema or {"type": "object", "properties": {}}, **more}


RECURSIVE = {
    "type": "object",
    "properties": {"a": {"$ref": "#/$defs/a"}},
    "$defs": {"a": {"items": {"$ref": "#/$defs/a"}}},
}
LAUGHS = {
    "type": "object",
    "properties": {"a": {"$ref": "#/$defs/n0"}},
    "$defs": {f"n{n}": {"anyOf": [{"$ref": f"#/$defs/n{n + 1}"}] * 4} for n in range(12)}
    | {"n12": {"type": "string"}},
}
SLOW = {"type": "object", "properties": {"a": {"type": "string", "pattern": "(a+)+$"}}}
UNIQUE = {"type": "object", "properties": {"a": {"type": "array", "uniqueItems": True}}}
COSTLY = {
    "type": "object",
    "properties": {"a": {"items": {"anyOf": [{"type": "null", "maximum": n} for n in range(800)]}}},
}
TOOLS = [
    tool("echo", {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}),
    tool("read file"),
    tool("read_file"),
    tool("оffer"),
    tool("recursive", RECURSIVE),
    tool("laughs", LAUGHS),
    tool("slow", SLOW),
    tool("far", {"type": "object", "properties": {"a": {"$ref": "https://example.com/x"}}}),
    tool(
        "wide", {"type": "object", "properties": {f"p{n}": {"description": "x" * 100} for n in range(1000)}}
    ),
    tool("ansi", description="\x1b[31mred\x1b[0m\u202e" + "y" * 5000),
    tool("environment"),
    tool("flood"),
    tool("hang"),
    tool("die"),
    tool("picture"),
    tool("lie"),
    tool("endless"),
    tool("ask_big"),
    tool("refuse"),
    tool("wait"),
    tool("ask"),
    tool("crumbs"),
    tool("chatter"),
    tool("unique", UNIQUE),
    tool("costly", COSTLY),
]
effects: list[str] = []


def text(said: str, **more: Any) -> dict[str, Any]:
    return {"resultType": "complete", "content": [{"type": "text", "text": said}], **more}


def question(state: str, message: str = "Which branch?") -> dict[str, Any]:
    schema = {"type": "object", "properties": {"branch": {"type": "string", "enum": ["main", "next"]}}}
    params = {"mode": "form", "message": message, "requestedSchema": schema}
    return {
        "resultType": "input_required",
        "inputRequests": {"q": {"method": "elicitation/create", "params": params}},
        "requestState": state,
    }


def result_of(name: str, params: dict[str, Any]) -> dict[str, Any] | None:
    arguments = params.get("arguments") or {}
    answers, state = params.get("inputResponses"), params.get("requestState")
    match name:
        case "echo":
            return text(arguments["text"])
        case "environment":
            return text(json.dumps(dict(os.environ)))
        case "flood":
            return text("\x1b[2J@everyone " + "x" * 12_000_000)
        case "crumbs":
            return {"resultType": "complete", "content": [{"type": "text", "text": ""}] * 300_000}
        case "chatter":
            token = (params.get("_meta") or {}).get("progressToken")
            for number in range(40):
                step = {"progressToken": token, "progress": number, "message": "\x1b[31m" * 20_000}
                write({"method": "notifications/progress", "params": step})
            return text("done")
        case "hang":
            return None
        case "die":
            os._exit(3)
        case "picture":
            blob = {"uri": "file:///../../etc/passwd\x1b", "blob": base64.b64encode(b"data").decode()}
            return {
                "resultType": "complete",
                "content": [
                    {"type": "image", "data": PNG, "mimeType": "image/png"},
                    {"type": "image", "data": base64.b64encode(b"<svg>").decode(), "mimeType": "image/png"},
                    {"type": "image", "data": "%%%", "mimeType": "image/png"},
                    {"type": "resource", "resource": blob},
                ],
            }
        case "lie":
            return {"resultType": "complete", "content": "no list"}
        case "endless":
            return question(f"{state or ''}x", "Again?")
        case "ask_big":
            return question("s" * 1_000_000)
        case "refuse":
            return text("no\x1b[1m", isError=True)
        case "ask" if answers is None:
            return question("first-leg")
        case "ask":
            effects.append(str(state))
            return text(f"{state}: {json.dumps(answers)}, effects {len(effects)}")
        case "wait":
            time.sleep(0.3)
            return text("waited")
        case _:
            return text(name)


def main() -> None:
    for line in sys.stdin:
        message = json.loads(line)
        method, id_ = message.get("method"), message.get("id")
        params = message.get("params") or {}
        if method == "server/discover":
            result: dict[str, Any] | None = {
                "resultType": "complete",
                "supportedVersions": ["2026-07-28"],
                "capabilities": {"tools": {}},
                "ttlMs": 0,
                "cacheScope": "public",
            }
        elif method == "tools/list":
            result = {"resultType": "complete", "tools": TOOLS, "ttlMs": 0, "cacheScope": "public"}
        elif method == "tools/call":
            result = result_of(params["name"], params)
        else:
            write({"id": id_, "error": {"code": -32601, "message": "unknown"}})
            continue
        if id_ is not None and result is not None:
            print("a line that is no message", flush=True)
            write({"id": id_, "result": result})


if __name__ == "__main__":
    main()
