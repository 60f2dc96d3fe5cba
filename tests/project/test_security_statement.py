"""Each statement of SECURITY.md on what is stored, and for how long, matches the code."""

import re
from datetime import timedelta
from pathlib import Path

import pytest

from postmeal_serve.partners.credentials import CACHE_S
from postmeal_serve.process.connection_limits import MAX_HEAD_BYTES
from postmeal_serve.resources.erasure import PERSONAL
from postmeal_serve.resources.retention import INTERVAL_S, KEPT
from postmeal_serve.settings import Settings
from postmeal_serve.storage.tables import (
    METADATA,
    client_token,
    live_food,
    scanned_food,
    tombstone,
    transcripts,
)

STATEMENT = (Path(__file__).parents[2] / ".github" / "SECURITY.md").read_text(encoding="utf-8")
ROWS = {
    name: {"contents": contents, "personal": personal, "stored": stored}
    for name, contents, personal, stored in re.findall(
        r"^\| `(\w+)` \| (.+?) \| (.+?) \| (.+?) \|$", STATEMENT, re.MULTILINE
    )
}


def duration(text: str) -> timedelta:
    """Return the duration of a text such as "24 hours and 1 minute"."""
    parts = re.findall(r"(\d+) (second|minute|hour|day)s?", text)
    return sum((timedelta(**{f"{unit}s": int(number)}) for number, unit in parts), timedelta())


def test_the_statement_names_every_table_and_no_other():
    """X12: a table that is added is declared, or this fails."""
    assert set(ROWS) == set(METADATA.tables)


def test_the_statement_says_which_tables_hold_people():
    """Row 451: those that erasure empties, and no other."""
    personal = {name for name, row in ROWS.items() if row["personal"] == "yes"}
    assert personal == {column.table.name for column in PERSONAL}
    assert "The service stores health data" in STATEMENT
    assert "health conditions" in ROWS["end_user"]["contents"]
    hashed = {name for name, row in ROWS.items() if row["personal"] == "as a hash"}
    assert hashed == {"audit", tombstone.name}


def test_the_stated_durations_are_those_of_the_job():
    """S13: each purged table states its duration, and no other table does."""
    purged = {moment.table.name: kept for moment, kept in KEPT}
    purged[client_token.name] = timedelta(seconds=Settings().token_purge_after_s)
    purged[transcripts.name] = timedelta(days=Settings().transcript_days)
    purged[scanned_food.name] = timedelta(days=Settings().scan_days)
    for name, row in ROWS.items():
        if name in purged:
            assert duration(row["stored"]) == purged[name], name
        else:
            permanent = ("permanently", "until erased", "until deleted or erased")
            assert row["stored"] in permanent, name
    assert ROWS["reservation"]["stored"] == "until the call ends"  # no time after it
    assert timedelta(seconds=INTERVAL_S) <= timedelta(minutes=1)  # "within a minute of its time"


@pytest.mark.parametrize(
    "name", ["token_purge_after_s", "live_foods_days", "transcript_days", "scan_days"]
)
def test_the_stated_settings_have_the_stated_defaults(name):
    stated = re.search(rf"`POSTMEAL_{name.upper()}` \((\d+) by default\)", STATEMENT)
    assert stated is not None
    assert int(stated[1]) == Settings.model_fields[name].default


def test_every_named_setting_exists():
    named = {each.lower() for each in re.findall(r"POSTMEAL_([A-Z_]+)", STATEMENT)}
    assert named <= set(Settings.model_fields)


def test_the_stated_limits_are_those_of_the_code():
    """S5: headers; rows 34, 451: how long a process may still remember a token."""
    [size] = re.findall(r"headers\s+exceed\s+(\d+)\s+KB", STATEMENT)
    assert int(size) * 1024 == MAX_HEAD_BYTES
    promise = r"Within\s+(\d+)\s+seconds,\s+all\s+processes\s+reject"
    [seconds] = re.findall(promise, STATEMENT)
    assert int(seconds) == CACHE_S
    assert "fetched_at" in live_food.c  # a product is looked up again; its row stays


def test_no_column_holds_a_reading_or_a_body():
    """S12: CGM is never stored; the only columns of bytes are hashes, a state and a response."""
    columns = {
        f"{table.name}.{column.name}"
        for table in METADATA.tables.values()
        for column in table.columns
    }
    assert not [
        name for name in columns if re.search("cgm|glucose|reading|body|request_body", name)
    ]
