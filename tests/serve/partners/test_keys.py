"""API keys: created, listed, rotated and disabled; each secret is shown once."""

from datetime import timedelta

import pytest
from partner_records import NOW, PEPPER, made, trail
from sqlalchemy import select

from postmeal.errors import InputError
from postmeal_serve.partners import keys
from postmeal_serve.storage.tables import api_key


def test_a_key_is_shown_once_and_kept_as_a_hash(connection, name):
    """Row 46: the database keeps its version and last four characters in plain text."""
    partner = made(connection, name)
    secret, key = keys.create(connection, NOW, partner.id, "v1.2", "app", PEPPER)
    assert secret.startswith("sk-v1.2-")
    assert len(secret) == len("sk-v1.2-") + 43  # 256 bits in base64
    assert key.shown == f"sk-v1.2-…{secret[-4:]}"
    assert (key.organization_id, key.version, key.name) == (partner.id, "v1.2", "app")
    assert (key.created_at, key.disabled_at) == (NOW, None)
    row = connection.execute(select(api_key).where(api_key.c.id == key.id)).one()
    assert row.sha256 == keys.digest(secret, PEPPER) != keys.digest(secret, b"")
    assert secret not in str(row)
    assert keys.list_all(connection, partner.id) == [key]
    assert trail(connection, partner.id)[1:] == [("admin", "key created", f"key {key.id}", NOW)]


@pytest.mark.parametrize("bad", ["", " ", "a\nb", "x" * 101])
def test_a_key_is_named_in_1_to_100_printable_characters(connection, name, bad):
    partner = made(connection, name)
    with pytest.raises(InputError) as refused:
        keys.create(connection, NOW, partner.id, "v1.2", bad)
    assert refused.value.field == "name"
    assert refused.value.problem == "must be 1 to 100 printable characters, not blank"
    assert f"got {bad[:50]!r}"[:-1] in str(refused.value)
    for good in ("x", "é" * 100):
        assert keys.create(connection, NOW, partner.id, "v1.2", good)[1].name == good


def test_keys_are_listed_the_newest_first(connection, name):
    one, other = made(connection, name), made(connection, f"{name}, another")
    first, second = (
        keys.create(connection, NOW, one.id, version, "k")[1] for version in ("v1.1", "v1.2")
    )
    third = keys.create(connection, NOW, other.id, "v1.2", "k")[1]
    assert keys.list_all(connection, one.id) == [second, first]
    assert [key for key in keys.list_all(connection) if key in (first, second, third)] == [
        third,
        second,
        first,
    ]


def test_a_disabled_key_has_ended_and_no_other_has(connection, name):
    """Row 47: a second time changes nothing and records nothing."""
    partner = made(connection, name)
    key, kept = (keys.create(connection, NOW, partner.id, "v1.2", "k")[1] for _ in range(2))
    at = NOW + timedelta(hours=1)
    assert keys.disable(connection, at, key.id).disabled_at == at
    for again in (at, at + timedelta(hours=1)):
        assert keys.disable(connection, again, key.id).disabled_at == at
    assert keys.list_all(connection, partner.id)[0] == kept
    ended = ("admin", "key disabled", f"key {key.id}", at)
    assert trail(connection, partner.id)[3:] == [ended]


def test_a_rotated_key_ends_after_its_grace(connection, name):
    """Row 47: the new key has the same name and version, and another secret."""
    partner = made(connection, name)
    old_secret, old = keys.create(connection, NOW, partner.id, "v1.1", "app", PEPPER)
    grace = timedelta(days=7)
    secret, new = keys.rotate(connection, NOW, old.id, grace, PEPPER)
    assert secret != old_secret
    assert (new.organization_id, new.version, new.name) == (partner.id, "v1.1", "app")
    stored = connection.execute(select(api_key.c.sha256).where(api_key.c.id == new.id)).scalar()
    assert stored == keys.digest(secret, PEPPER)
    assert keys.list_all(connection, partner.id)[1].disabled_at == NOW + grace
    keys.rotate(connection, NOW + grace - timedelta.resolution, old.id, grace)
    assert keys.list_all(connection, partner.id)[-1].disabled_at == NOW + grace  # and no later
    with pytest.raises(InputError) as refused:
        keys.rotate(connection, NOW + grace, old.id, grace)
    assert (refused.value.field, str(old.id) in str(refused.value)) == ("id", True)
    assert "is the ID of a disabled key; create a new key with" in refused.value.problem


def test_a_key_made_without_a_pepper_needs_none(connection, name):
    """Neither does its successor."""
    partner = made(connection, name)
    secret, key = keys.create(connection, NOW, partner.id, "v1.2", "app")
    later, successor = keys.rotate(connection, NOW, key.id, timedelta(days=7))
    for shown, kept in ((secret, key), (later, successor)):
        stored = select(api_key.c.sha256).where(api_key.c.id == kept.id)
        assert connection.execute(stored).scalar() == keys.digest(shown, b"")


def test_an_unknown_key_id_is_refused(connection):
    for do in (
        lambda: keys.disable(connection, NOW, 10**6),
        lambda: keys.rotate(connection, NOW, 10**6, timedelta()),
    ):
        with pytest.raises(InputError) as refused:
            do()
        assert refused.value.field == "id"
        assert str(refused.value).startswith("id 1000000 is not the ID of a key")
