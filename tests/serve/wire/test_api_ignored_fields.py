"""Near misses of names are listed by version 1.1, in the header X-Ignored-Fields."""

import re

import pytest
from api_client import changed
from misspellings import (
    document,
    misspellings,
    objects,
    operations,
    query_parameters,
    send,
)

SAFE = re.compile(r"[A-Za-z0-9_.\[\], ?-]{1,1000}")


@pytest.mark.sampled
@objects("v1.1")
def test_version_1_1_lists_near_misses_and_changes_nothing_else(api, where):
    """Rows 12, 310 and D63: status and body are those without the misspelt name."""
    plain = send(api, where, where.holding({}))
    assert "x-ignored-fields" not in plain.headers
    for name in where.names:
        for wrong in sorted(misspellings(name, where, "v1.1"))[::5]:
            answer = send(api, where, where.holding({wrong: None}))
            assert (answer.status_code, answer.content) == (plain.status_code, plain.content)
            assert answer.headers["x-ignored-fields"] == where.at(wrong)


def test_version_1_1_answers_a_near_miss_as_before(api):
    """Rows 310, 443: a profile as it is answered, in a prediction that succeeds."""
    body = api.old_body()
    plain = api.predict_old(body)
    assert "x-ignored-fields" not in plain.headers
    more = changed(body | {"cgm_data": [], "User_Profile": {}}, "foods.1.servng", 1)
    answer = api.predict_old(more)
    assert (answer.status_code, answer.content) == (200, plain.content)
    assert answer.headers["x-ignored-fields"] == "cgm_data"  # the other fields are given
    made = api.post("/v1.1/user", json={"profile": body["userProfile"]}).json()
    back = {key: value for key, value in made["profile"].items() if value is not None}
    again = api.post("/v1.1/user", json={"profile": back})
    assert again.status_code == 200
    ignored = again.headers["x-ignored-fields"].split(", ")
    assert ignored == ["profile.activity_level", "profile.medical_conditions"]


def test_version_1_1_lists_near_misses_of_query_parameters(api):
    """Rows 12, 310."""
    plain = api.get("/v1.1/search/foods?query=rice")
    answer = api.get("/v1.1/search/foods?query=rice&Category=branded&limt=1")
    assert answer.content == plain.content
    assert answer.headers["x-ignored-fields"] == "Category, limt"
    assert "x-ignored-fields" not in plain.headers


def test_the_header_holds_safe_characters_and_is_short(api):
    body = api.old_body()
    del body["startTime"]
    odd = ["startTim\r\nSet-Cookie: a=b", "startTim\n", "start,Time", "startTimé", "sTARTtIME"]
    answer = api.predict_old(body | dict.fromkeys(odd, 1))
    assert answer.headers["x-ignored-fields"] == "startTim?, start?Time, startTim?, sTARTtIME"
    many = {"_" * count + "start" + "_" * place + "Time": 1 for count in range(1, 25)
            for place in range(25)}  # fmt: skip
    header = api.predict_old(body | many).headers["x-ignored-fields"]
    assert SAFE.fullmatch(header)
    assert 1 < header.count(",") < 20


def test_the_header_is_documented_where_it_may_come():
    """Row 478: for every operation of version 1.1 with a body, and for none of version 1.2."""
    for version in ("v1.1", "v1.2"):
        for _, _, entry in operations(document(version)):
            success = next(one for status, one in entry["responses"].items() if status < "300")
            told = "X-Ignored-Fields" in success.get("headers", {})
            reads = "requestBody" in entry or query_parameters(entry)
            assert told == (version == "v1.1" and bool(reads))
