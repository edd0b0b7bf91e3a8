"""Discord's own description of its API (OpenAPI), and a check of everything that a twin sends."""

from __future__ import annotations

from .conformance import Conformance, Violation
from .description import ApiDescription, DescriptionError

__all__ = ["ApiDescription", "Conformance", "DescriptionError", "Violation"]
