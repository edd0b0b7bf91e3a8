"""The store over a database: all shelves in one."""

from __future__ import annotations

from types import TracebackType

from .memory_records import MemoryShelf
from .message_records import MessageShelf
from .persona_records import PersonaShelf
from .setting_records import SettingsShelf

__all__ = ["SqlStore"]


class SqlStore(PersonaShelf, SettingsShelf, MessageShelf, MemoryShelf):
    """Everything that a bot keeps; `async with` closes it."""

    async def close(self) -> None:
        """Finish what was begun and let go of the database."""
        await self._database.close()

    async def __aenter__(self) -> SqlStore:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
