"""The HTTP control API: prepare a twin, act as its users, inject faults and look, from any language."""

from __future__ import annotations

from .app import ControlApi

__all__ = ["ControlApi"]
