"""A raw client of the twin: it retries nothing and hides nothing."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from typing import Any

import aiohttp
from multidict import CIMultiDictProxy

from discord_twin import Channel, Twin


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: CIMultiDictProxy[str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def code(self) -> int:
        return int(self.json["code"])

    @property
    def outcome(self) -> tuple[int, int]:
        """Status and Discord's error code."""
        return self.status, self.code

    @property
    def errors(self) -> dict[str, Any]:
        """The `errors` of a 50035."""
        found: dict[str, Any] = self.json["errors"]
        return found


class Api:
    """Talks to one twin with the bot's token."""

    def __init__(self, twin: Twin, session: aiohttp.ClientSession) -> None:
        self.twin = twin
        self.session = session
        self.token: str | None = twin.token

    async def call(self, method: str, path: str, body: object = None, **more: Any) -> Answer:
        headers = dict(more.pop("headers", {}))
        if self.token is not None:
            headers.setdefault("Authorization", f"Bot {self.token}")
        if body is not None:
            more["json"] = body
        async with self.session.request(
            method, self.twin.api_url + path, headers=headers, **more
        ) as response:
            return Answer(response.status, response.headers, await response.read())

    async def get(self, path: str, **more: Any) -> Answer:
        return await self.call("GET", path, **more)

    async def post(self, path: str, body: object = None, **more: Any) -> Answer:
        return await self.call("POST", path, body, **more)

    async def patch(self, path: str, body: object = None, **more: Any) -> Answer:
        return await self.call("PATCH", path, body, **more)

    async def put(self, path: str, body: object = None, **more: Any) -> Answer:
        return await self.call("PUT", path, body, **more)

    async def delete(self, path: str, **more: Any) -> Answer:
        return await self.call("DELETE", path, **more)

    async def send(
        self, content: str | None = "hello", channel: Channel | None = None, **fields: Any
    ) -> Answer:
        """Create a message."""
        body = {**({} if content is None else {"content": content}), **fields}
        return await self.post(f"/channels/{(channel or self.twin.channel).id}/messages", body)

    async def edit(self, message_id: str, channel: Channel | None = None, **fields: Any) -> Answer:
        """Edit a message."""
        return await self.patch(
            f"/channels/{(channel or self.twin.channel).id}/messages/{message_id}", fields
        )

    async def hook(self, name: str = "luna", channel: Channel | None = None) -> str:
        """Make a webhook; the path where it is executed."""
        made = await self.post(f"/channels/{(channel or self.twin.channel).id}/webhooks", {"name": name})
        return f"/webhooks/{made.json['id']}/{made.json['token']}"

    async def upload(self, files: dict[str, bytes], channel: Channel | None = None, **fields: Any) -> Answer:
        """Create a message with files."""
        form = aiohttp.FormData(quote_fields=False)
        form.add_field("payload_json", json.dumps(fields), content_type="application/json")
        for index, (name, content) in enumerate(files.items()):
            file = io.BytesIO(content)
            form.add_field(f"files[{index}]", file, filename=name, content_type="application/octet-stream")
        path = f"/channels/{(channel or self.twin.channel).id}/messages"
        return await self.call("POST", path, data=form)
