"""How components look in a message that Discord sends: with the defaults and addresses that a request may leave out.

https://docs.discord.com/developers/components/reference
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from .models import Attachment, Json

_SELECTS = frozenset({3, 5, 6, 7, 8})
_SECTION, _THUMBNAIL, _GALLERY, _FILE, _CONTAINER = 9, 11, 12, 13, 17
_PREFIX = "attachment://"


class _Files:
    """The files of a message, by the address that its components use for them."""

    def __init__(
        self, message_id: int, attachments: tuple[Attachment, ...], address_of: Callable[[Attachment], str]
    ) -> None:
        self._message_id = message_id
        self._files = {f"{_PREFIX}{one.filename}": one for one in attachments}
        self._address_of = address_of

    def find(self, media: Json) -> Attachment | None:
        return self._files.get(str(media.get("url")))

    def unfurl(self, media: Json) -> Json:
        """Return a media item; a picture from elsewhere has no file here, so the message lends its id."""
        file = self.find(media)
        if file is None:
            return {**media, "id": str(self._message_id), "proxy_url": media.get("url", "")}
        url = self._address_of(file)
        size = {} if file.width is None else {"width": file.width, "height": file.height}
        found: Json = {"id": str(file.id), "attachment_id": str(file.id), "content_type": file.content_type}
        return {**media, **found, **size, "url": url, "proxy_url": url}


def serialize_component(
    component: Json,
    message_id: int,
    attachments: tuple[Attachment, ...],
    address_of: Callable[[Attachment], str],
) -> Json:
    """Return a component as Discord sends it.

    Args:
        component: As the client sent it, with ids.
        message_id: Of its message.
        attachments: The files of its message.
        address_of: Returns where the twin serves a file.

    """
    return _serialize(component, _Files(message_id, attachments, address_of))


def _without_nulls(value: Any) -> Any:  # noqa: ANN401 - a part of a component
    """Return a value without the fields that a client set to null: it might have left them out."""
    if isinstance(value, list):
        return [_without_nulls(one) for one in value]
    if isinstance(value, dict):
        return {name: _without_nulls(one) for name, one in value.items() if one is not None}
    return value


def _serialize(component: Json, files: _Files) -> Json:
    kind = component.get("type")
    shape: Json = _without_nulls(component)
    if "components" in component:
        shape["components"] = [_serialize(one, files) for one in component["components"]]
    if kind in _SELECTS:
        return {"min_values": 1, "max_values": 1} | shape
    if kind == _SECTION and "accessory" in component:
        shape["accessory"] = _serialize(component["accessory"], files)
    if kind == _THUMBNAIL:
        return _media_item(component, files)
    if kind == _GALLERY:
        shape["items"] = [_media_item(one, files) for one in component.get("items", [])]
    if kind == _FILE:
        return _file(component, files)
    if kind == _CONTAINER:
        return {"accent_color": None, "spoiler": False} | shape
    return shape


def _media_item(item: Json, files: _Files) -> Json:
    return {"description": None, "spoiler": False} | item | {"media": files.unfurl(item.get("media") or {})}


def _file(component: Json, files: _Files) -> Json:
    media = component.get("file") or {}
    file = files.find(media)
    known = {"name": file.filename, "size": len(file.content)} if file else {"name": None, "size": None}
    return {"spoiler": False} | component | known | {"file": files.unfurl(media)}
