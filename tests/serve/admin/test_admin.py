"""Administration on the command line: partners, keys, tokens, data."""

import sqlite3
from contextlib import closing
from datetime import datetime, timedelta

import pytest
from admin_commands import Office
from api_client import Api
from client_tokens import FOODS, bearer, mint, use
from sqlalchemy import select
from stored_people import add_traces

from postmeal_serve.command_line import main
from postmeal_serve.partners import organizations, tokens
from postmeal_serve.partners.audit import person
from postmeal_serve.partners.plans import ENDPOINT_IN_FLIGHT, PLANS
from postmeal_serve.storage.database import Database
from postmeal_serve.storage.schema import migrate, revision
from postmeal_serve.storage.tables import audit, organization, usage


@pytest.fixture
def office(tmp_path, monkeypatch, capsys) -> Office:
    monkeypatch.setenv("POSTMEAL_STATE_DIR", str(tmp_path))
    return Office(tmp_path, capsys)


def test_a_partner_is_added_changed_and_listed(office):
    """Row 483: each change leaves a line of audit."""
    assert office("partner", "create", "Acme") == "partner Acme created with the free plan\n"
    line = "Acme: free, 10000 requests, 100 credits a month\n"
    assert office("partner", "list") == line
    changed = office("partner", "change", "Acme", "--plan", "growth", "--credits", "7")
    assert changed == "Acme: growth, 5000000 requests, 7 credits a month\n"
    changed = office("partner", "change", "Acme", "--uncapped", "--minting", "off")
    uncapped = "Acme: growth, unlimited requests, unlimited credits a month, minting off\n"
    assert changed == uncapped
    changed = office("partner", "change", "Acme", "--no-uncapped", "--minting", "on")
    assert changed == "Acme: growth, 5000000 requests, 7 credits a month\n"
    assert office.trail() == [
        "partner 1: partner created, partner 1, by admin",
        *["partner 1: partner changed, partner 1, by admin"] * 3,
    ]


def test_reading_previous_meals_from_the_diary_is_agreed_with_a_partner(office):
    """D69: off at first, and kept when something else changes."""
    assert "diary" not in office("partner", "create", "Acme") + office("partner", "list")
    line = "Acme: free, 10000 requests, 100 credits a month, previous meals from food logs\n"
    assert office("partner", "change", "Acme", "--diary-meals") == line
    assert office("partner", "change", "Acme", "--plan", "free") == line
    changed = office("partner", "change", "Acme", "--no-diary-meals")
    assert changed == "Acme: free, 10000 requests, 100 credits a month\n"
    assert office("partner", "create", "Other", "--diary-meals").startswith("partner Other")
    assert office("partner", "list").endswith("previous meals from food logs\n")


def test_what_is_agreed_is_added_to_what_was(office):
    """Rows 56, 69: one number does not take the others away."""
    office("partner", "create", "Acme", "--requests", "5", "--in-flight", "predict_glucose=2")
    office("partner", "change", "Acme", "--per-minute", "9", "--in-flight", "search_foods=3")
    office("partner", "change", "Acme", "--in-flight", "predict_glucose=4")
    database = office.database()
    with database.reading() as connection:
        has = organizations.find(connection, "Acme", PLANS).allowances
    database.close()
    assert (has.monthly_requests, has.per_minute) == (5, 9)
    assert has.in_flight == {**ENDPOINT_IN_FLIGHT, "predict_glucose": 4, "search_foods": 3}


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("create", "Acme"), "name"),
        (("create", " "), "name"),
        (("create", "two\nlines"), "name"),
        (("create", "new", "--plan", "gold"), "plan must be one of: free, starter"),
        (("create", "new", "--requests", "-1"), "monthly_requests"),
        (("create", "new", "--credits", "9999999999"), "monthly_credits"),
        (("create", "new", "--per-minute", "0"), "per_minute"),
        (
            ("change", "nobody", "--plan", "free"),
            "partner 'nobody' does not exist; list the partners with",
        ),
        (("change", "Acme", "--plan", "gold"), "plan must be one of"),
        (("change", "Acme", "--credits", "-1"), "monthly_credits"),
    ],
)
def test_a_partner_that_cannot_be_is_refused_in_one_line(office, words, named):
    office("partner", "create", "Acme")
    assert named in office.refused("partner", *words)
    assert office("partner", "list").count("\n") == 1
    assert len(office.trail()) == 1


def test_a_key_is_shown_once_and_listed_by_its_last_four_characters(office):
    """Rows 46, 49, 129."""
    office("partner", "create", "Acme")
    office("partner", "create", "Other")
    (first, old), (second, new) = office.key("Acme", "v1.1"), office.key("Acme")
    assert (first, second) == ("1", "2")
    assert old.startswith("sk-v1.1-")
    assert new.startswith("sk-v1.2-")
    listed = office("key", "list", "Acme")
    assert f"sk-v1.2-…{new[-4:]}" in listed
    assert "Acme (app)" in listed
    assert office("key", "list", "Other") == ""
    assert office("key", "list") == listed
    shown = listed + "".join(office.trail()) + office("usage") + office("partner", "list")
    assert old[8:] not in shown
    assert new[8:] not in shown
    assert "partner 1: key created, key 2, by admin" in office.trail()


def test_a_key_works_until_it_is_disabled(office):
    """Row 47."""
    office("partner", "create", "Acme")
    number, secret = office.key("Acme")
    with Api(office.folder) as api:
        assert use(api, secret).status_code == 200
    assert office("key", "disable", number) == (
        f"key {number} disabled; it stops working within 30 seconds\n"
    )
    office("key", "disable", number)
    with Api(office.folder) as api:
        assert use(api, secret).status_code == 401
    assert [line for line in office.trail() if "disabled" in line] == [
        f"partner 1: key disabled, key {number}, by admin"
    ]


def test_a_rotated_key_works_through_its_grace(office):
    """Row 47: 24 hours, unless another time is given."""
    office("partner", "create", "Acme")
    old_id, old = office.key("Acme")
    told = office("key", "rotate", old_id)
    new_id, new = told.splitlines()[1].split()[1], told.split()[-1]
    assert f"key {old_id} expires at " in told
    with Api(office.folder) as api:
        assert [use(api, secret).status_code for secret in (old, new)] == [200, 200]
        left = datetime.fromisoformat(told.split()[4]) - api.service.clock.now()
    assert timedelta(hours=23) < left < timedelta(hours=24)
    assert f"until {told.split()[4]}" in office("key", "list")
    again = office("key", "rotate", old_id, "--grace-hours", "48")
    assert again.splitlines()[0] == told.splitlines()[0]  # it ends no later than was said
    newest = office("key", "rotate", new_id, "--grace-hours", "0").split()[-1]
    with Api(office.folder) as api:
        statuses = [use(api, secret).status_code for secret in (old, new, newest)]
    assert statuses == [200, 401, 200]
    assert "is the ID of a disabled key" in office.refused("key", "rotate", new_id)


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("key", "create", "nobody", "--version", "v1.2"), "partner"),
        (("key", "create", "Acme", "--version", "v1.2", "--name", " "), "name"),
        (("key", "list", "nobody"), "partner"),
        (("key", "disable", "99"), "id 99 is not the ID of a key"),
        (("key", "rotate", "99"), "id 99 is not the ID of a key"),
        (("token", "revoke", "nobody", "u-1"), "partner"),
        (("usage", "nobody"), "partner"),
        (("erase", "nobody", "u-1"), "partner"),
        (("purge-test-identities", "nobody"), "partner"),
        (("backup", "missing/copy.sqlite"), "cannot create"),
    ],
)
def test_what_is_not_there_is_named_in_one_line(office, words, named):
    office("partner", "create", "Acme")
    assert named in office.refused(*words)


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ((), "COMMAND"),
        (("partner",), "VERB"),
        (("key", "create", "Acme"), "--version"),
        (("key", "create", "Acme", "--version", "v2"), "v1.1"),
        (("key", "disable", "x"), "whole number"),
        (("key", "disable", "-1"), ""),
        (("key", "disable", "9" * 30), "whole number"),
        (("key", "disable", "9" * 5000), "at most 2147483647"),
        (("key", "rotate", "1", "--grace-hours", "inf"), "number of hours"),
        (("key", "rotate", "1", "--grace-hours", "nan"), "number of hours"),
        (("key", "rotate", "1", "--grace-hours", "-1"), "number of hours"),
        (("key", "rotate", "1", "--grace-hours", "1e99"), "number of hours"),
        (("audit", "--last", "0"), "whole number"),
        (("partner", "create", "a", "--in-flight", "predict_glucose"), "whole number"),
        (("partner", "create", "a", "--in-flight", "chatter=5"), "predict_glucose"),
        (("partner", "create", "a", "--in-flight", "predict_glucose=0"), "whole number"),
    ],
)
def test_words_that_are_no_command_are_refused_before_anything_is_done(office, words, named):
    told = office.misused(*words)
    assert named in told
    assert told.startswith("postmeal-serve")
    assert told.count("\n") == 1
    assert "argument " not in told
    assert not (office.folder / "postmeal.sqlite").exists()


def test_tokens_of_a_user_are_revoked_however_many(office):
    """Row 146: more than one call of the API could."""
    office("partner", "create", "Acme", "--plan", "unlimited")
    with Api(office.folder) as api:
        partner = api.partner("Acme")
        minted = [mint(api, partner) for _ in range(3)]
        other = mint(api, partner, "u-2")
        now = api.service.clock.now()
        with api.service.database.writing() as connection:
            for _ in range(600):
                tokens.mint(connection, now, partner.id, "u-1", ("foods:read",), 1800, "test")
    assert office("token", "revoke", "Acme", "u-1") == "603 client tokens revoked\n"
    assert office("token", "revoke", "Acme", "u-1") == "0 client tokens revoked\n"
    with Api(office.folder) as api:
        assert {use(api, token).json()["code"] for token in minted} == {"token_revoked"}
        assert use(api, other).status_code == 200


def test_tokens_that_cannot_be_revoked_are_an_error(office, capsys):
    """Row 143."""
    office("partner", "create", "Acme", "--plan", "unlimited")
    with Api(office.folder) as api:
        partner = api.partner("Acme")
        for _ in range(3):
            mint(api, partner)
    with closing(sqlite3.connect(office.folder / "postmeal.sqlite")) as database, database:
        database.execute(
            "CREATE TRIGGER fault BEFORE UPDATE ON client_token WHEN NEW.id = 2 "
            "BEGIN SELECT RAISE(ABORT, 'fault'); END"
        )
    assert main(["admin", "token", "revoke", "Acme", "u-1"]) == 2
    told = capsys.readouterr()
    assert told.out == "2 client tokens revoked\n"
    assert told.err == "error: 1 client tokens could not be revoked; run this command again\n"


def test_the_use_of_each_month_is_told(office):
    """Row 73."""
    office("partner", "create", "Acme", "--plan", "starter")
    office("partner", "create", "Idle")
    with Api(office.folder) as api:
        partner = api.partner("Acme")
        for _ in range(3):
            assert api.client.get(FOODS, headers=bearer(partner.keys["v1.2"])).status_code == 200
        month = f"{api.service.clock.now():%Y-%m}"
        with api.service.database.writing() as connection:
            old = {"organization_id": partner.id, "month": "2020-02"}
            connection.execute(usage.insert().values(**old, requests=7, credits=5))
    assert office("usage", "Acme").splitlines()[1:] == [
        f"  {month}  3 requests, 0 credits so far",
        "  2020-02  7 requests, 5 credits",
    ]
    assert "Idle: free" in office("usage")


def test_a_person_is_erased_with_a_receipt_only_if_anything_was_stored(office):
    """Row 483."""
    office("partner", "create", "Acme")
    database = office.database()
    with database.writing() as connection:
        for name in ("u-1", "test-1", "test-2"):
            add_traces(connection, 1, name)
    database.close()
    assert office("erase", "Acme", "u-1") == (
        "all data of the end user deleted; the audit trail has an erasure receipt\n"
    )
    assert office("erase", "Acme", "u-1") == (
        "nothing to delete: this end user has already been erased\n"
    )
    assert office("purge-test-identities", "Acme") == "data of 2 test end users deleted\n"
    assert office("purge-test-identities") == "data of 0 test end users deleted\n"
    trail = office.trail()
    assert trail[1:] == [
        f"partner 1: user deleted, {person(1, 'u-1')}, by admin",
        "partner 1: test users deleted, test users: 2, by admin",
    ]
    assert "u-1" not in "".join(trail)


def test_an_unknown_person_cannot_be_erased(office):
    for name in ("Acme", "Other"):
        office("partner", "create", name)
    database = office.database()
    with database.writing() as connection:
        add_traces(connection, 1, "u-1")
    database.close()
    office("erase", "Acme", "u-1")
    for words in (("Acme", "u-2"), ("Other", "u-1")):
        assert office.refused("erase", *words) == (
            f"error: end_user_id is unknown to the partner {words[0]!r}; it must be the ID of an"
            f" end user about whom data is stored or who has been erased, got {words[1]!r}\n"
        )
    assert sum("user deleted" in line for line in office.trail()) == 1


def test_what_was_kept_long_enough_is_purged(office):
    """Row 147."""
    office("partner", "create", "Acme", "--plan", "unlimited")
    with Api(office.folder) as api:
        mint(api, api.partner("Acme"))
    assert "client_token 0" in office("purge")
    with closing(sqlite3.connect(office.folder / "postmeal.sqlite")) as database, database:
        database.execute("UPDATE client_token SET ends_at = '2020-01-01 00:00:00.000000'")
    assert "client_token 1" in office("purge")
    assert office.trail()[-1] == "purged, client tokens: 1, by job"


def test_the_trail_shows_the_last_lines_the_oldest_first(office):
    """Row 483."""
    for number in range(1, 4):
        office("partner", "create", f"p-{number}")
    assert [line.split()[1][:-1] for line in office.trail()] == ["1", "2", "3"]
    last = office("audit", "--last", "2")
    assert [line.split("partner ")[1][0] for line in last.splitlines()] == ["2", "3"]


def test_the_database_is_made_by_any_command_and_brought_up_by_one(office):
    assert office("migrate").startswith("the database schema is at revision ")
    assert office("partner", "list") == office("key", "list") == office("usage") == ""
    assert (office.folder / "postmeal.sqlite").stat().st_mode & 0o077 == 0


def test_a_copy_is_made_and_never_over_a_file(office):
    """R19."""
    office("partner", "create", "Acme")
    copy = office.folder / "copy.sqlite"
    assert office("backup", str(copy)) == f"database backed up to {copy}\n"
    assert "already exists" in office.refused("backup", str(copy))
    database = Database(f"sqlite:///{copy}")
    with database.reading() as connection:
        assert connection.execute(select(organization.c.name)).scalar_one() == "Acme"
        assert len(connection.execute(select(audit)).all()) == 1
    database.close()


def test_where_there_is_no_database_there_is_no_copy(office):
    """R19: an empty one that was just made would be taken for what was."""
    assert "does not exist or is empty" in office.refused(
        "backup", str(office.folder / "copy.sqlite")
    )
    assert not (office.folder / "copy.sqlite").exists()


def test_a_copy_is_of_the_database_as_it_is(office):
    """R19: a release that will bring it up does not do so before it is copied."""
    database = office.database()
    migrate(database, "0001")
    database.close()
    copy = office.folder / "copy.sqlite"
    office("backup", str(copy))
    database = Database(f"sqlite:///{copy}")
    with database.reading() as connection:
        assert revision(connection) == "0001"
    database.close()


@pytest.mark.parametrize("command", [("key", "list"), ("partner", "create", "Acme"), ("migrate",)])
def test_a_damaged_database_is_told_in_one_line(office, command):
    """Row 480."""
    (office.folder / "postmeal.sqlite").write_bytes(b"no database" * 1000)
    assert "the database cannot be used" in office.refused(*command)
