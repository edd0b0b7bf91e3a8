"""Places: a channel, its server, a direct message."""

from __future__ import annotations

from streamcord import Persona
from streamcord.store import Picture, Place, StoredPersona


def test_the_server_around_a_channel_has_no_channel() -> None:
    assert Place(1, 2).server == Place(1) == Place(1).server


def test_a_direct_message_is_its_own_server() -> None:
    assert Place(0, 2).server == Place(0, 2)


def test_a_picture_does_not_print_its_bytes() -> None:
    assert repr(Picture("u", b"secret", "image/png")) == "Picture(url='u', kind='image/png')"


def test_a_stored_persona_has_its_personas_name() -> None:
    assert StoredPersona(Persona("Luna")).name == "Luna"
