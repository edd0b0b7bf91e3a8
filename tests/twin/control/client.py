"""A client of the control API over real HTTP; every answer is compared with the API's own OpenAPI document."""

from __future__ import annotations

from typing import Any

import aiohttp

from discord_twin import ApiDescription, Twin

Json = dict[str, Any]


class Control:
    """Calls the control API and checks what comes back."""

    def __init__(self, twin: Twin, session: aiohttp.ClientSession, description: ApiDescription) -> None:
        self.twin = twin
        self.session = session
        self.description = description

    async def ask(self, method: str, path: str, body: object = None, **more: Any) -> tuple[int, Any]:
        """Return status and JSON."""
        if body is not None:
            more["json"] = body
        async with self.session.request(method, f"{self.twin.base_url}/control/{path}", **more) as response:
            found = await response.json() if response.status != 204 else None
            operation = self.description.find(method, path.partition("?")[0])
            if operation is not None and found is not None:
                schema = operation.response(response.status)
                assert schema is not None or response.status in {403, 413, 415, 503}
                assert schema is None or self.description.mismatches(schema, found) == []
            return response.status, found

    async def get(self, path: str, **query: Any) -> Json:
        status, found = await self.ask("GET", path, params=query)
        assert status == 200, found
        return dict(found)

    async def post(self, path: str, **body: Any) -> Json:
        status, found = await self.ask("POST", path, body)
        assert status in {200, 204}, found
        return dict(found or {})

    async def refused(self, path: str, **body: Any) -> tuple[int, str]:
        """Return status and reason of a request that is refused."""
        status, found = await self.ask("POST", path, body)
        assert status >= 400, found
        return status, str(found["error"])
