"""The list of models that a provider offers: `GET /models` of most APIs.

https://developers.openai.com/api/reference/resources/models/methods/list (with `shutdown_date`),
https://platform.claude.com/docs/en/api/models-list and https://ai.google.dev/api/models#method:-models.list .
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .apis.base import ApiAdapter, Request, as_text, dict_items

MAX_LIST_BYTES = 8 * 2**20
"""The longest list that is read."""
MAX_MODELS = 10_000
MAX_NAME_CHARS = 200

_GOOGLE_PATH = "models?pageSize=1000"
_PATHS: Mapping[str, str] = {
    "anthropic": "models?limit=1000",
    "google": _GOOGLE_PATH,
    "google-interactions": _GOOGLE_PATH,
}


@dataclass(frozen=True, slots=True)
class AvailableModel:
    """A model that a provider offers.

    Example:
        names = [model.name for model in await provider.list_models()]

    """

    name: str
    """The model, as requests name it."""
    ends: str = ""
    """The date on which it is switched off (2026-12-31), if the provider says so."""


def list_request(api: ApiAdapter) -> Request:
    """Return the request for the list of models of an API."""
    version = getattr(api, "version", "") if api.name == "anthropic" else ""
    headers = {"Accept": "application/json"} | ({"anthropic-version": version} if version else {})
    return Request(_PATHS.get(api.name, "models"), {}, headers, method="GET")


def read_model_list(payload: Mapping[str, Any]) -> tuple[AvailableModel, ...]:
    """Return the models of a response; what is none is left out."""
    return tuple(_models(payload))


def _models(payload: Mapping[str, Any]) -> Iterator[AvailableModel]:
    # Google lists `models/NAME` under `models`, everybody else `id` under `data`.
    entries = dict_items(payload.get("data")) or dict_items(payload.get("models"))
    for entry in entries[:MAX_MODELS]:
        methods = entry.get("supportedGenerationMethods")
        if isinstance(methods, list) and "generateContent" not in methods:
            continue
        name = as_text(entry.get("id")) or as_text(entry.get("name")).removeprefix("models/")
        if name.isprintable() and 0 < len(name) <= MAX_NAME_CHARS:
            ends = as_text(entry.get("shutdown_date"))
            yield AvailableModel(name, ends if len(ends) == 10 and ends.isprintable() else "")
