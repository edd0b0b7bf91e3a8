# ruff: noqa: ANN401 - any JSON
"""Request bodies drawn from Discord's description: such that fit it, and such that do not fit in one place.

Used by `twin_requests.py`.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Mapping
from typing import Any

__all__ = ["Bodies"]

# Drawn before other texts: names must fit patterns that the description does not state.
WORDS = ("luna", "hello", "a-name", "notes", "x")
MAX_DEPTH = 7


class Bodies:
    """Draws values of schemas.

    Args:
        document: Discord's OpenAPI document.
        rng: What is drawn from.
        ids: Ids that exist, by the name of the field that holds them.

    """

    def __init__(self, document: Mapping[str, Any], rng: random.Random, ids: Mapping[str, str]) -> None:
        self._schemas = document["components"]["schemas"]
        self._rng = rng
        self.ids = ids

    def resolve(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        """Follow references, and join the parts of `allOf`."""
        while "$ref" in schema:
            schema = self._schemas[schema["$ref"].rpartition("/")[2]]
        if "allOf" in schema:
            joined: dict[str, Any] = {}
            for part in (*schema["allOf"], {key: value for key, value in schema.items() if key != "allOf"}):
                joined.update(self.resolve(part))
            return joined
        return schema

    def draw(self, schema: Mapping[str, Any], name: str = "", depth: int = 0) -> Any:
        """Return a value that fits."""
        schema, rng = self.resolve(schema), self._rng
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return rng.choice(schema["enum"])
        for union in ("oneOf", "anyOf"):
            if union in schema:
                members = [one for one in schema[union] if self.resolve(one).get("type") != "null"] or schema[
                    union
                ]
                if len(members) < len(schema[union]) and rng.random() < 0.1:
                    return None
                return self.draw(rng.choice(members), name, depth)
        kind = schema.get("type", "object")
        if isinstance(kind, list):
            kind = (
                "null"
                if "null" in kind and rng.random() < 0.1
                else next(one for one in kind if one != "null")
            )
        return getattr(self, f"_draw_{kind}")(schema, name, depth)

    def _draw_null(self, _: Mapping[str, Any], __: str, ___: int) -> None:
        return None

    def _draw_boolean(self, _: Mapping[str, Any], __: str, ___: int) -> bool:
        return self._rng.random() < 0.5

    def _draw_integer(self, schema: Mapping[str, Any], _: str, __: int) -> int:
        least = schema.get("minimum", 0)
        most = schema.get("maximum", max(least, 0) + 100)
        return self._rng.choice((least, most, self._rng.randint(least, most)))

    def _draw_number(self, schema: Mapping[str, Any], name: str, depth: int) -> float:
        return float(self._draw_integer(schema, name, depth))

    def _draw_string(self, schema: Mapping[str, Any], name: str, _: int) -> str:
        form = schema.get("format")
        if form == "snowflake" or schema.get("pattern", "").startswith("^(0|"):
            known = self.ids.get(name) or self.ids["user_id"]
            return known if self._rng.random() < 0.85 else str(self._rng.randrange(10**18, 10**19))
        if form == "date-time":
            return "2027-01-01T00:00:00+00:00"
        if form == "uri":
            return "https://example.com/a.png"
        least, most = schema.get("minLength", 0), min(schema.get("maxLength", 40), 4000)
        word = self._rng.choice(WORDS)
        if self._rng.random() < 0.15:
            word = word[0] * self._rng.choice((least or 1, most))
        return word[:most].ljust(least, "a")

    def _draw_array(self, schema: Mapping[str, Any], name: str, depth: int) -> list[Any]:
        least = schema.get("minItems", 0)
        most = min(schema.get("maxItems", 3), 3 if depth < 3 else 1)
        count = least if depth > MAX_DEPTH else self._rng.randint(least, max(least, most))
        singular = name.removesuffix("s")
        values = [self.draw(schema.get("items", {}), singular, depth + 1) for _ in range(count)]
        if schema.get("uniqueItems"):
            values += [
                self.draw(schema.get("items", {}), singular, depth + 1) for _ in range(20 * (least > 1))
            ]
            values = [one for index, one in enumerate(values) if one not in values[:index]][
                : max(count, least)
            ]
        return values

    def _draw_object(self, schema: Mapping[str, Any], _: str, depth: int) -> dict[str, Any]:
        fields, required = schema.get("properties", {}), schema.get("required", ())
        # Components and options contain themselves.
        chance = 0.0 if depth > MAX_DEPTH else 0.35 if depth < 2 else 0.2
        chosen = [one for one in fields if one in required or self._rng.random() < chance]
        value = {one: self.draw(fields[one], one, depth + 1) for one in chosen}
        extra = schema.get("additionalProperties")
        if isinstance(extra, dict) and self._rng.random() < 0.3:
            value["de"] = self.draw(extra, "", depth + 1)
        return value

    # Bodies that do not fit

    def spoil(self, schema: Mapping[str, Any], value: Any) -> Any:
        """Return the value with one place changed, so that it probably does not fit."""
        value = copy.deepcopy(value)
        places = [*self._places(schema, value)]
        holder, key, inner = self._rng.choice(places) if places else ({"": value}, "", schema)
        inner = self.resolve(inner)
        if isinstance(holder, dict) and key in inner.get("required", ()) and self._rng.random() < 0.3:
            del holder[key]
            return value
        holder[key] = self._wrong(inner, holder[key])
        return value if places else holder[""]

    def _places(self, schema: Mapping[str, Any], value: Any, depth: int = 0) -> Any:
        """Yield (object or list, key, schema) of every value in a value."""
        schema = self.resolve(schema)
        for union in ("oneOf", "anyOf"):
            if union in schema:
                # Where a union is meant, the first member that has the value's fields is taken.
                named = set(value) if isinstance(value, dict) else set()
                members = [self.resolve(one) for one in schema[union]]
                schema = next(
                    (one for one in members if named and named <= set(one.get("properties", {}))), schema
                )
        if isinstance(value, dict):
            for key, inner in value.items():
                below = schema.get("properties", {}).get(key, {})
                yield value, key, below
                yield from self._places(below, inner, depth + 1)
        elif isinstance(value, list):
            for index, inner in enumerate(value):
                yield value, index, schema.get("items", {})
                yield from self._places(schema.get("items", {}), inner, depth + 1)

    def _wrong(self, schema: Mapping[str, Any], value: Any) -> Any:
        rng = self._rng
        other: tuple[Any, ...] = ({}, [], "x", -1, 1.5, True, "", [[]], {"x": 1}, 10**40, "\x00", "9" * 30)
        if isinstance(value, str) and "maxLength" in schema and rng.random() < 0.6:
            return "a" * (schema["maxLength"] + 1)
        if isinstance(value, str) and schema.get("minLength") and rng.random() < 0.5:
            return "a" * (schema["minLength"] - 1)
        if isinstance(value, int) and "maximum" in schema and rng.random() < 0.6:
            return schema["maximum"] + 1
        if isinstance(value, int) and "minimum" in schema and rng.random() < 0.5:
            return schema["minimum"] - 1
        if isinstance(value, list) and value and "maxItems" in schema and rng.random() < 0.6:
            return [copy.deepcopy(value[0]) for _ in range(schema["maxItems"] + 1)]
        return rng.choice([one for one in other if type(one) is not type(value)])
