"""Errors of the service's command line: settings, and keys in place of IDs and names."""

import pytest
from admin_commands import Office

from postmeal_serve.command_line import main

KEY = "sk-v1.2-QUJDREVGR0hJQUJDREVGR0hJ"


@pytest.fixture
def office(tmp_path, monkeypatch, capsys) -> Office:
    monkeypatch.setenv("POSTMEAL_STATE_DIR", str(tmp_path))
    return Office(tmp_path, capsys)


@pytest.mark.parametrize("verb", ["disable", "rotate"])
def test_a_key_in_place_of_its_id_is_not_repeated(office, verb):
    told = office.misused("key", verb, KEY)
    assert "id must be the ID of a key, such as 1, not the key itself; list the IDs with" in told
    assert KEY not in told


@pytest.mark.parametrize(
    "words",
    [
        ("key", "list", KEY),
        ("key", "create", KEY, "--version", "v1.2"),
        ("usage", KEY),
        ("erase", KEY, KEY),
        ("token", "revoke", KEY, "u"),
        ("partner", "create", "Acme", "--plan", KEY),
    ],
)
def test_a_key_in_place_of_a_name_is_not_repeated(office, words):
    told = office.refused(*words)
    assert "'sk-…'" in told
    assert KEY not in told


@pytest.mark.parametrize(
    ("name", "value", "named"),
    [
        ("DATABASE", "mysql://nowhere/x", "sqlite"),
        ("DATABASE", "postgresql://postgres@127.0.0.1:1/none", "database cannot be used"),
        ("PLANS", '{"free": {"monthly_requests": -1}}', "POSTMEAL_PLANS.free.monthly_requests"),
        ("PLANS", '{"free": {"per_minute": 0}}', "POSTMEAL_PLANS.free.per_minute"),
        (
            "PLANS",
            '{"free": {"rates": {"porridge": 5}}}',
            "POSTMEAL_PLANS.free.rates must contain only endpoint names",
        ),
        (
            "PLANS",
            '{"free": {"in_flight": {"porridge": 5}}}',
            "in_flight must contain only endpoint names",
        ),
        ("PLANS", "{free", "line 1 column 2"),
        ("LIVE_BARCODES", "x", 'fooddata_central, such as ["open_food_facts"], got'),
        (
            "CREDIT_COSTS",
            '{"porridge": 5}',
            "POSTMEAL_CREDIT_COSTS must contain only endpoint names",
        ),
        ("CREDIT_COSTS", "5", "POSTMEAL_CREDIT_COSTS"),
        ("PORT", "x", "POSTMEAL_PORT must be an integer from 0 to 65535, got 'x'"),
        ("PORT", "80000", "POSTMEAL_PORT must be an integer from 0 to 65535, got '80000'"),
        ("WORKERS", "100000", "POSTMEAL_WORKERS must be an integer from 1 to 256, got '100000'"),
        ("TOKEN_PURGE_AFTER_S", "-1", "must be an integer of 0 or more, got '-1'"),
        ("LIVE_PLACES_WITHIN_S", "nan", "must be a number above 0 and at most 30, got 'nan'"),
        ("METRICS_PORT", "0", "must be an integer from 1 to 65535, got '0'"),
        ("CREDIT_COSTS", '{"predict_glucose": null}', "an integer from 0 to 1000, got null"),
        (
            "PLANS",
            '{"free": {"rates": {"search_foods": 0}}}',
            "rates.search_foods must be an integer",
        ),
        ("PLANS", '{"free": 3}', "POSTMEAL_PLANS.free must be a JSON object, got 3"),
        ("MODELS", "x", "POSTMEAL_MODELS is no longer a setting; use POSTMEAL_MODEL_STORE"),
        ("WORKER", "2", "POSTMEAL_WORKER is not a setting; did you mean POSTMEAL_WORKERS?"),
        (
            "KEYPEPPER",
            "x",
            "POSTMEAL_KEYPEPPER is not a setting; did you mean POSTMEAL_KEY_PEPPER?",
        ),
    ],
)
def test_a_setting_that_cannot_be_is_told_in_one_line(office, monkeypatch, name, value, named):
    monkeypatch.setenv(f"POSTMEAL_{name}", value)
    assert named in office.refused("partner", "list")


def test_a_state_folder_that_is_a_file_is_named_with_its_setting(tmp_path, monkeypatch, capsys):
    file = tmp_path / "file"
    file.touch()
    monkeypatch.setenv("POSTMEAL_STATE_DIR", str(file))
    assert main(["admin", "partner", "list"]) == 2
    told = capsys.readouterr().err
    assert told.startswith("error: POSTMEAL_STATE_DIR must be a folder that the service can create")
    assert f"cannot create {file}: file exists" in told
