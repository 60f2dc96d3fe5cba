"""Organizations: partners are created, changed and found; errors name the field."""

from datetime import timedelta
from typing import Any

import pytest
from partner_records import NOW, made, trail
from sqlalchemy import select

from postmeal.errors import InputError
from postmeal_serve.partners import organizations
from postmeal_serve.partners.organizations import Organization
from postmeal_serve.partners.plans import PLANS, Agreement
from postmeal_serve.storage.tables import organization


def test_a_partner_has_its_plan_with_its_agreement_on_top(connection, name):
    """Row 56: it may mint, and its row has its time of creation."""
    partner = made(connection, name, "starter", monthly_credits=7)
    assert (partner.name, partner.may_mint) == (name, True)
    starter = PLANS["starter"]
    assert partner.allowances.monthly_requests == starter.monthly_requests
    assert partner.allowances.monthly_credits == 7
    assert partner.allowances.plan == "starter"
    assert organizations.find(connection, name, PLANS) == partner
    row = connection.execute(select(organization).where(organization.c.id == partner.id)).one()
    assert (row.created_at, row.agreement) == (NOW, {"monthly_credits": 7})
    assert trail(connection, partner.id) == [
        ("admin", "partner created", f"partner {partner.id}", NOW)
    ]


@pytest.mark.parametrize("bad", ["", "  ", "a\nb", "x" * 101])
def test_a_partner_is_named_in_1_to_100_printable_characters(connection, bad):
    with pytest.raises(InputError) as refused:
        made(connection, bad)
    assert refused.value.field == "name"
    assert refused.value.problem == "must be 1 to 100 printable characters, not blank"
    assert f"got {bad[:50]!r}"[:-1] in str(refused.value)


@pytest.mark.parametrize("length", [1, 100])
def test_names_of_1_and_of_100_characters_are_names(connection, length):
    assert made(connection, "é" * length).name == "é" * length


def test_a_name_is_taken_once(connection, name):
    made(connection, name)
    with pytest.raises(InputError) as refused:
        made(connection, name)
    assert (refused.value.field, name in str(refused.value)) == ("name", True)
    assert "name is already in use; choose a different name, got '" in str(refused.value)


def test_an_unknown_plan_is_refused_with_the_known_ones(connection, name):
    made(connection, name)
    for do in (
        lambda: made(connection, f"{name}, another", "gold"),
        lambda: organizations.change(connection, NOW, name, PLANS, plan="gold"),
    ):
        with pytest.raises(InputError) as refused:
            do()
        assert refused.value.field == "plan"
        assert "must be one of" in str(refused.value)
        assert "'gold'" in str(refused.value)
        assert set(refused.value.allowed) == set(PLANS)


def test_an_unknown_partner_is_refused_by_name(connection, name):
    for do in (
        lambda: organizations.find(connection, name, PLANS),
        lambda: organizations.change(connection, NOW, name, PLANS, may_mint=False),
    ):
        with pytest.raises(InputError) as refused:
            do()
        assert refused.value.field == "partner"
        assert str(refused.value).startswith(
            f"partner {name!r} does not exist; list the partners with"
        )


def test_a_change_keeps_omitted_fields(connection, name):
    """Each change is recorded."""
    partner = made(connection, name, "free", monthly_credits=7)
    other = made(connection, f"{name}, another", "free")
    later = NOW + timedelta(days=1)

    def changed(**values: Any) -> Organization:
        return organizations.change(connection, later, name, PLANS, **values)

    after = changed(plan="starter")
    assert (after.allowances.plan, after.allowances.monthly_credits) == ("starter", 7)
    after = changed(may_mint=False)
    assert (after.may_mint, after.allowances.plan) == (False, "starter")
    after = changed(agreement=organizations.parse_agreement({"per_minute": 3}))
    assert after.allowances.monthly_credits == PLANS["starter"].monthly_credits
    assert (after.allowances.per_minute, after.may_mint) == (3, False)
    assert organizations.agreement_with(connection, name) == Agreement(per_minute=3)
    assert organizations.find(connection, other.name, PLANS) == other
    change = ("admin", "partner changed", f"partner {partner.id}", later)
    assert trail(connection, partner.id)[1:] == [change] * 3
    assert changed() == after  # which changes nothing, and records nothing
    assert len(trail(connection, partner.id)) == 4


def test_only_agreed_fields_are_stored(connection, name):
    """A plan's number that was not agreed follows the plan when that changes."""
    made(connection, name, "free", per_minute=3)
    assert organizations.agreement_with(connection, name).model_fields_set == {"per_minute"}
    agreement = organizations.parse_agreement(
        {"rates": {"search": None, "read_credits": 5}, "monthly_requests": 9}
    )
    organizations.change(connection, NOW, name, PLANS, agreement=agreement)
    agreed = organizations.agreement_with(connection, name)
    assert agreed.model_fields_set == {"rates", "monthly_requests"}
    assert agreed.rates == {"search": None, "read_credits": 5}
    assert organizations.agreement_with(connection, "nobody at all") == Agreement()


@pytest.mark.parametrize(
    ("agreed", "field", "problem"),
    [
        ({"monthly_credits": -1}, "monthly_credits", "must be greater than or equal to 0"),
        ({"rates": {"search": 0}}, "rates.search", "must be greater than or equal to 1"),
        ({"monthly_request": 5}, "monthly_request", "is not a supported limit; supported limits"),
    ],
)
def test_an_invalid_agreement_is_refused_by_field(agreed, field, problem):
    with pytest.raises(InputError) as refused:
        organizations.parse_agreement(agreed)
    assert (refused.value.field, refused.value.problem) == (field, problem)


def test_partners_are_listed_by_name(connection, name):
    for end in ("b", "c", "a"):
        made(connection, f"{name} {end}")
    found = [each.name for each in organizations.list_all(connection, PLANS)]
    assert found == sorted(found)
    assert {f"{name} {end}" for end in "abc"} <= set(found)


def test_a_plan_that_is_no_longer_known_grants_nothing(connection, name):
    """Row 52: what was agreed still holds."""
    partner = made(connection, name, "free", per_minute=3)
    left = organizations.find(connection, name, {})
    assert left.id == partner.id
    assert (left.allowances.monthly_requests, left.allowances.monthly_credits) == (0, 0)
    assert left.allowances.per_minute == 3
