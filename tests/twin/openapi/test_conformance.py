"""A description finds what a twin sends and should not, whatever document it is."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import aiohttp
import pytest

from discord_twin import ApiDescription, DescriptionError, Twin, TwinOptions
from discord_twin.openapi.conformance import known_differences

Json = dict[str, Any]


def content(schema: Json) -> Json:
    return {"content": {"application/json": {"schema": schema}}}


TEXT: Json = {"type": "object", "properties": {"content": {"type": "string", "maxLength": 5}}}
MESSAGE: Json = {
    "type": "object",
    "required": ["id", "wanted"],
    "properties": {"id": {"type": "string"}, "part": {"$ref": "#/components/schemas/Part"}},
}
# A union as Discord writes it: by type, with `oneOf` although both may fit.
PART: Json = {
    "oneOf": [
        {"type": "object", "required": ["a"], "properties": {"type": {"const": 1}, "a": {"type": "string"}}},
        {"type": "object", "required": ["b"], "properties": {"type": {"const": 2}, "b": {"type": "string"}}},
    ]
}
DOCUMENT: Json = {
    "openapi": "3.1.0",
    "paths": {
        "/channels/{channel_id}/messages": {
            "post": {
                "requestBody": content(TEXT),
                "responses": {"200": content({"$ref": "#/components/schemas/MessageResponse"})},
            }
        },
        "/things/{thing_id}": {
            "get": {"responses": {"4XX": {"$ref": "#/components/responses/MessageRefused"}}}
        },
        "/things/mine": {"get": {"responses": {}}},
    },
    "components": {
        "schemas": {"MessageResponse": MESSAGE, "Part": PART},
        "responses": {"MessageRefused": content({"type": "object", "required": ["code"]})},
    },
}


@pytest.fixture
def description() -> ApiDescription:
    return ApiDescription(DOCUMENT)


async def test_responses_requests_and_events_are_compared(description: ApiDescription) -> None:
    async with Twin(TwinOptions.without_limits()) as twin, aiohttp.ClientSession() as session:
        check = twin.check_against(description)
        url = f"{twin.api_url}/channels/{twin.channel.id}/messages"
        headers = {"Authorization": f"Bot {twin.token}"}
        async with session.post(url, json={"content": "too long"}, headers=headers) as response:
            assert response.status == 200
        await session.get(f"{twin.api_url}/users/@me", headers=headers)
        twin.gateway._send(_NoSession(), "MESSAGE_CREATE", '{"id": 1}')  # type: ignore[arg-type]

    assert [str(one) for one in check.violations] == [
        'request POST /channels/{channel_id}/messages at /content: "too long" is longer than 5 characters',
        'response POST /channels/{channel_id}/messages 200: "wanted" is a required property',
        "request GET users/@me: the description has no such route",
        'event MESSAGE_CREATE: "wanted" is a required property',
        'event MESSAGE_CREATE at /id: 1 is not of type "string"',
    ]


class _NoSession:
    application = SimpleNamespace(id=1)

    def dispatch(self, name: str, payload: str, times: int) -> None:
        """Nothing listens."""


def test_literal_words_of_a_path_win(description: ApiDescription) -> None:
    assert getattr(description.find("GET", "things/mine"), "path", "") == "/things/mine"
    assert getattr(description.find("GET", "things/7"), "path", "") == "/things/{thing_id}"
    assert description.find("PUT", "things/7") is None


def test_a_union_is_explained_by_the_member_that_was_meant(description: ApiDescription) -> None:
    value = {"id": "1", "wanted": 1, "part": {"type": 2, "b": 3}}
    assert description.mismatches("MessageResponse", value) == [("/part/b", '3 is not of type "string"')]
    # Both members of the union fit: no error, although the document says `oneOf`.
    assert description.mismatches("Part", {"a": "", "b": ""}) == []


def test_a_status_without_a_schema_of_its_own_uses_the_one_for_its_class(description: ApiDescription) -> None:
    operation = description.find("GET", "things/7")
    assert operation is not None
    assert description.mismatches(str(operation.response(404)), {}) == [("", '"code" is a required property')]
    assert operation.response(500) is None


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (None, "cannot read"),
        ("no json", "is not JSON"),
        ("[]", "is not an OpenAPI document"),
        ('{"openapi": "3.1.0"}', "needs the keys openapi, paths and components"),
    ],
)
def test_a_file_that_is_no_description_is_refused(tmp_path: Path, content: str | None, why: str) -> None:
    path = tmp_path / "api.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(DescriptionError, match=why):
        ApiDescription.read(path)


def test_a_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "api.json").write_text(json.dumps(DOCUMENT))
    assert len(ApiDescription.read(tmp_path / "api.json").operations) == 3


def test_every_listed_difference_names_its_source() -> None:
    assert known_differences()
    assert [one for one in known_differences() if "https://" not in one.source] == []
