"""Faces that people and models write, for tests that need many of them."""

from __future__ import annotations

from pathlib import Path

EMOTICONS = Path(__file__).with_name("emoticon_samples.txt").read_text("utf-8").splitlines()
