"""Buttons, menus, modals and the layout of Components V2 as plain values for the web UI."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..state.enums import ChannelType
from ..state.permissions import Permission
from .text_views import blocks_view, emoji_view, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..state.models import Channel, Json, Message, User
    from ..state.state import State

_SELECT, _INPUT, _TEXT = 3, 4, 10
_ENTITIES = _USERS, _ROLES, _MENTIONABLES, _CHANNELS = 5, 6, 7, 8
_LABEL, _UPLOAD, _RADIO, _CHECKS, _CHECK = 18, 19, 21, 22, 23
# Entries of a menu of users, roles or channels on the page.
_MAX_OFFERED = 100


def components_view(state: State, message: Message, viewer: User) -> list[Json]:
    """Return the components of a message."""
    reader = _ComponentReader(state, state.channels[message.channel_id], viewer, message)
    return [reader.view(one) for one in message.draft.components]


def modal_view(state: State, channel: Channel, viewer: User, shown_modal: Json) -> Json:
    """Return a form that a bot asks a user to fill in."""
    reader = _ComponentReader(state, channel, viewer)
    rows = [row for one in shown_modal["components"] for row in reader.rows(one)]
    return {"title": shown(shown_modal["title"]), "rows": rows}


class _ComponentReader:
    """Reads components for one viewer in one channel; the files are those of the message."""

    def __init__(self, state: State, channel: Channel, viewer: User, message: Message | None = None) -> None:
        self._state = state
        self._channel = channel
        self._viewer = viewer
        self._message = message

    def view(self, part: Json) -> Json:
        """One component with all that is in it; nothing of one that is not known."""
        # By component type: https://docs.discord.com/developers/components/reference
        readers: dict[object, Callable[[Json], Json]] = {
            1: lambda row: {"row": self._inner(row)},
            2: lambda button: {"button": self._button(button)},
            **dict.fromkeys((_SELECT, *_ENTITIES), lambda menu: {"select": self._select(menu)}),
            9: lambda section: {
                "section": self._inner(section),
                "accessory": self.view(section["accessory"]),
            },
            _TEXT: lambda text: {"text": blocks_view(self._state, str(text["content"]))},
            11: lambda picture: {"thumbnail": self._media(picture)},
            12: lambda gallery: {"gallery": [self._media(one) for one in gallery["items"]]},
            13: lambda file: {"file": self._media({**file, "media": file["file"]})},
            14: lambda line: {"separator": line.get("divider", True), "wide": line.get("spacing") == 2},
            17: self._container,
        }
        reader = readers.get(part.get("type"))
        return reader(part) if reader else {"text": []}

    def _inner(self, part: Json) -> list[Json]:
        return [self.view(one) for one in part["components"]]

    def _container(self, part: Json) -> Json:
        accent, spoiler = part.get("accent_color"), bool(part.get("spoiler"))
        return {"container": self._inner(part), "colour": accent, "spoiler": spoiler}

    def _button(self, part: Json) -> Json:
        return {
            "id": part.get("custom_id") or "",
            "label": shown(part.get("label") or ""),
            "emoji": self._emoji(part),
            "style": int(part.get("style") or 2),
            "to": shown(part.get("url") or ""),
            "disabled": bool(part.get("disabled")),
        }

    def _emoji(self, part: Json) -> Json | None:
        emoji = part.get("emoji")
        if not emoji:
            return None
        name = shown(emoji.get("name") or "")
        if not emoji.get("id"):
            return {"text": name}
        return emoji_view(self._state, f"{name}:{emoji['id']}") or {"text": f":{name}:"}

    # Menus

    def _select(self, part: Json) -> Json:
        minimum, maximum = part.get("min_values"), part.get("max_values")
        return {
            "id": part["custom_id"],
            "hint": shown(part.get("placeholder") or "Make a selection"),
            "min": 1 if minimum is None else minimum,
            "max": maximum or 1,
            "disabled": bool(part.get("disabled")),
            "options": self._options(part),
        }

    def _options(self, part: Json) -> list[Json]:
        if part["type"] == _SELECT:
            return [
                {
                    "label": shown(one["label"]),
                    "value": one["value"],
                    "about": shown(one.get("description") or ""),
                    "emoji": self._emoji(one),
                    "chosen": bool(one.get("default")),
                }
                for one in part["options"]
            ]
        chosen = {str(one["id"]) for one in part.get("default_values") or ()}
        offered = [*self._entities(part)][:_MAX_OFFERED]
        return [
            {"label": shown(label), "value": key, "about": "", "emoji": None, "chosen": key in chosen}
            for label, key in offered
        ]

    def _entities(self, part: Json) -> Iterator[tuple[str, str]]:
        state, kind = self._state, part["type"]
        guild = state.guilds.get(self._channel.guild_id or 0)
        if kind in {_USERS, _MENTIONABLES}:
            people = [one.user for one in guild.members.values()] if guild else [*self._channel.recipients]
            yield from ((one.name, str(one.id)) for one in people)
        if kind in {_ROLES, _MENTIONABLES} and guild:
            yield from ((f"@{one.name.removeprefix('@')}", str(one.id)) for one in guild.roles.values())
        if kind == _CHANNELS and guild:
            types = {ChannelType(one) for one in part.get("channel_types") or ()}
            for number in guild.channel_ids:
                channel = state.channels[number]
                sees = state.permissions(self._viewer, channel) & Permission.VIEW_CHANNEL
                if sees and (not types or channel.type in types):
                    yield f"#{channel.name}", str(channel.id)

    # Pictures and files

    def _media(self, part: Json) -> Json:
        url = str((part.get("media") or {}).get("url") or "")
        files = self._message.attachments if self._message else ()
        file = next((one for one in files if f"attachment://{one.filename}" == url), None)
        view = {"about": shown(part.get("description") or ""), "spoiler": bool(part.get("spoiler"))}
        if file is None or self._message is None:
            # The address of a file outside is shown and never fetched.
            return {**view, "name": shown(url), "at": None, "picture": False, "size": 0}
        at = f"/cdn/attachments/{self._message.channel_id}/{file.id}/{shown(file.filename)}"
        about = view["about"] or shown(file.description or "")
        return {
            **view,
            "about": about,
            "name": shown(file.filename),
            "at": at,
            "picture": bool(file.width),
            "width": file.width or 0,
            "height": file.height or 0,
            "size": len(file.content),
        }

    # Modals

    def rows(self, part: Json) -> Iterator[Json]:
        """Return the rows of a form: text, or a label with its field."""
        if part["type"] == _TEXT:
            yield {"text": blocks_view(self._state, str(part["content"]))}
        elif part["type"] == _LABEL:
            yield self._field(part["component"], part["label"], part.get("description"))
        else:
            for one in part.get("components") or ():
                yield self._field(one, one.get("label") or "", None)

    def _field(self, field: Json, label: str, about: str | None) -> Json:
        kind = field["type"]
        row: Json = {
            "id": field["custom_id"],
            "label": shown(label),
            "about": shown(about or ""),
            "required": bool(field.get("required", kind != _CHECK)),
        }
        if kind == _INPUT:
            return row | _text_field(field)
        if kind == _UPLOAD:
            return row | {"kind": "files", "max": field.get("max_values") or 1}
        if kind == _CHECK:
            return row | {"kind": "check", "value": bool(field.get("default"))}
        if kind in {_RADIO, _CHECKS}:
            return row | {"kind": "radio" if kind == _RADIO else "checks", "options": _group(field)}
        return row | {"kind": "select", **self._select(field)}


def _text_field(field: Json) -> Json:
    return {
        "kind": "long" if field.get("style") == 2 else "short",
        "hint": shown(field.get("placeholder") or ""),
        "value": str(field.get("value") or ""),
        "min": field.get("min_length") or 0,
        "max": field.get("max_length") or 4000,
    }


def _group(field: Json) -> list[dict[str, Any]]:
    return [
        {
            "label": shown(one["label"]),
            "value": one["value"],
            "about": shown(one.get("description") or ""),
            "chosen": bool(one.get("default")),
        }
        for one in field["options"]
    ]
