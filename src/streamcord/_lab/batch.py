"""Many answers at once: JSON lines in, one JSON line of outcome each.

A line is `{"id", "text" | "chunks", "settings": {…}, "seed"}`; `settings` has the field names of `Settings`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TextIO

from streamcord import Settings, SettingsError

from .outcome import as_slices, describe, plan

__all__ = ["Defaults", "LineError", "run_batch"]

_KEYS = {"id", "text", "chunks", "settings", "seed"}


class LineError(ValueError):
    """A line of a batch that cannot be used; its text says why."""


@dataclass(frozen=True, slots=True)
class _Job:
    """One line: an answer and how it is to be treated."""

    id: object
    chunks: Iterable[str]
    settings: Settings
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Defaults:
    """What a line that says nothing about it gets."""

    settings: Mapping[str, Any] = field(default_factory=dict)
    slice: int = 0
    seed: int = 0


def run_batch(lines: Iterable[bytes], out: TextIO, err: TextIO, defaults: Defaults) -> int:
    """Answer every line that can be used, name every other one, and return the exit status."""
    status = 0
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            job = _read_job(line, defaults)
        except LineError as error:
            print(f"streamcord: line {number}: {error}", file=err)
            status = 2
        else:
            outcome = {"id": job.id, **describe(plan(job.chunks, job.settings, job.seed))}
            # ASCII, so that no reader takes U+2028 or U+0085 in a text for the end of a line.
            print(json.dumps(outcome), file=out, flush=True)
    return status


def _read_job(line: bytes, defaults: Defaults) -> _Job:
    values = _read_object(line)
    if unknown := sorted(values.keys() - _KEYS):
        raise LineError(f"unknown key {unknown[0]!r}; a line has id, text or chunks, settings, seed")
    seed = values.get("seed", defaults.seed)
    if not isinstance(seed, int) or isinstance(seed, bool):
        raise LineError(f"seed must be a whole number, not {seed!r}")
    settings = values.get("settings", {})
    if not isinstance(settings, dict):
        raise LineError(f"settings must be an object, not {settings!r}")
    try:
        built = Settings.from_mapping({**defaults.settings, **settings})
    except SettingsError as error:
        raise LineError(f"settings: {error}") from error
    return _Job(values.get("id"), _chunks(values, defaults.slice), built, seed)


def _read_object(line: bytes) -> dict[str, Any]:
    try:
        values = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise LineError(f"not UTF-8 ({error.reason} at byte {error.start})") from error
    except (ValueError, RecursionError) as error:
        raise LineError(f"not JSON ({error})") from error
    if not isinstance(values, dict):
        raise LineError("not a JSON object")
    return values


def _chunks(values: Mapping[str, Any], slice_length: int) -> Iterable[str]:
    if ("text" in values) == ("chunks" in values):
        raise LineError("needs either text or chunks")
    if "text" in values:
        if not isinstance(values["text"], str):
            raise LineError("text must be a string")
        return as_slices(values["text"], slice_length)
    chunks = values["chunks"]
    if not isinstance(chunks, list) or not all(isinstance(chunk, str) for chunk in chunks):
        raise LineError("chunks must be a list of strings")
    return chunks
