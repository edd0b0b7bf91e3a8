"""Asks OSV (https://osv.dev) which packages of constraints.txt have known vulnerabilities.

    python tools/audit.py            needs the network; 1 if something is known, 2 if the database cannot be reached

The only thing that is sent are names and versions of packages.
"""

from __future__ import annotations

import json
import re
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
ADDRESS = "https://api.osv.dev/v1/querybatch"
TIMEOUT = 30.0
_PIN = re.compile(r"([A-Za-z0-9._-]+)==([^\s;]+)")


class Pin(NamedTuple):
    """A package in one version."""

    name: str
    version: str


def read_pins(text: str) -> list[Pin]:
    """The packages of a file of constraints."""
    return [Pin(*found.groups()) for line in text.splitlines() if (found := _PIN.match(line))]


def ask(pins: list[Pin], address: str = ADDRESS) -> dict[Pin, list[str]]:
    """The ids of what is known about each package; raises `OSError` or `ValueError` if the database cannot be reached."""
    queries = [{"package": {"name": pin.name, "ecosystem": "PyPI"}, "version": pin.version} for pin in pins]
    request = urllib.request.Request(
        address, json.dumps({"queries": queries}).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=TIMEOUT) as response:
        results = json.load(response)["results"]
    known = zip(pins, results, strict=True)
    return {pin: [one["id"] for one in found["vulns"]] for pin, found in known if found.get("vulns")}


def main(address: str = ADDRESS) -> int:
    """Print what is known; returns the exit status."""
    pins = read_pins((ROOT / "constraints.txt").read_text(encoding="utf-8"))
    try:
        known = ask(pins, address)
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"audit: OSV cannot be asked ({type(error).__name__}); {len(pins)} packages are not checked")
        return 2
    for pin, ids in known.items():
        print(f"{pin.name} {pin.version}: {', '.join(ids)}")
    print(f"audit: {len(pins)} packages, {len(known)} with known vulnerabilities")
    return 1 if known else 0


if __name__ == "__main__":
    sys.exit(main())
