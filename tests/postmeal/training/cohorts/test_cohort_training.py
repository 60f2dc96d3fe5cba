"""A company's users become models, whatever trains them and whatever is wrong with some."""

import csv
import json
import random
import shutil
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cohort_company import DEADLY_AGE, Company, FitAndDieOnce, fit_or_die, models, reasons

from postmeal import CgmTrace, MealHistory, PersonalModel, Predictor, Profile, fit_personal
from postmeal.errors import DataSetError, InputError
from postmeal.training.cohorts.results import CohortResults
from postmeal.training.cohorts.store import CohortStore
from postmeal.training.cohorts.train import train_cohort, train_users

N_USERS, BUCKETS = 40, 10


@pytest.fixture(scope="module")
def company(tmp_path_factory: pytest.TempPathFactory) -> Company:
    return Company.founded(tmp_path_factory.mktemp("company"), N_USERS)


@pytest.fixture(scope="module")
def expected(company: Company, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What an undisturbed run in one process makes of them."""
    output = tmp_path_factory.mktemp("expected")
    assert train_cohort(company.folder, output, backend="serial")["trained"] == N_USERS
    return models(output)


@pytest.fixture
def spoiled(company: Company, tmp_path: Path) -> Company:
    """A copy of the company, to be changed."""
    return company.copied(tmp_path / "spoiled")


def test_a_users_model_is_the_one_that_fit_personal_makes(
    company: Company, expected: dict[str, Any]
) -> None:
    """Row 472: one fit function for the library, the service and cohorts."""
    store = CohortStore(company.folder)
    record = next(store.read(store.chunks(500)[0]))
    model = fit_personal(
        Predictor.load(),
        Profile(**record.profiles[0]),
        CgmTrace.of(record.readings[:, 0], record.readings[:, 1], record.readings[:, 2]),
        MealHistory.of(record.meals[:, 0], record.meals[:, 1], record.meals[:, 2:]),
        sensor="Libre",
    )
    assert model.to_bytes() in expected[record.user]
    assert model.base in expected[record.user]


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("backend", "chunk_users"),
    [("serial", 1), ("serial", 3), ("serial", 9), ("loky", 5), ("dask", 4)],
)
def test_models_are_the_same_whatever_trains_them_and_in_whatever_chunks(
    company: Company, expected: dict[str, Any], tmp_path: Path, backend: str, chunk_users: int
) -> None:
    """Row 472: to the byte."""
    summary = train_cohort(
        company.folder, tmp_path, backend=backend, n_workers=2, chunk_users=chunk_users
    )
    assert models(tmp_path) == expected
    assert summary["users"] == summary["trained"] == summary["run_users"] == N_USERS


def test_a_folder_a_user_and_times_with_a_zone_are_read_as_well(
    company: Company, expected: dict[str, Any], tmp_path: Path
) -> None:
    folder = tmp_path / "by user"
    folder.mkdir()
    shutil.copy(company.people, folder)
    for table in ("readings", "meals"):
        for part in (company.folder / table).rglob("*.parquet"):
            rows = pq.read_table(part, partitioning=None)
            time_us = pa.array((rows.column("utc_s").to_numpy() * 1e6).astype("int64"))
            zoned = rows.append_column("time", time_us.cast(pa.timestamp("us", "UTC")))
            for user in set(rows.column("user").to_pylist()):
                mine = zoned.filter(pa.compute.equal(rows.column("user"), user))
                path = folder / table / f"user={user}"
                path.mkdir(parents=True)
                half = len(mine) // 2
                plain = mine.drop_columns(["user", "utc_s", "utc_offset_s"])
                pq.write_table(plain.slice(half), path / "a.parquet")  # in no order of time
                pq.write_table(plain.slice(0, half), path / "b.parquet")
    train_cohort(folder, tmp_path / "out", backend="serial", chunk_users=7)
    assert models(tmp_path / "out") == expected


def test_a_zone_tells_the_offset_of_each_moment_and_little_is_told_of_people(
    tmp_path: Path,
) -> None:
    """Two readings of a user whose name is a number, before and after a change of the clock."""
    moments = [datetime(2026, 3, 8, hour, 30, tzinfo=UTC) for hour in (6, 7)]
    zoned = pa.array(moments, pa.timestamp("ms", "America/New_York"))
    person = {"user": [7], "age": [40], "sex": ["male"], "height_cm": [180], "weight_kg": [80]}
    for name, table in (
        ("people.parquet", person),
        (
            "readings/bucket=a/1.parquet",
            {"user": [7, 7], "time": zoned, "glucose_mg_dl": [99, 101]},
        ),
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.table(table), tmp_path / name)
    store = CohortStore(tmp_path)
    (record,) = store.read(*store.chunks(10))
    assert record.user == "7"
    assert record.sensor is None
    assert Profile(**record.profiles[0]).health_conditions == ()
    assert record.readings.tolist() == [
        [moments[0].timestamp(), -5 * 3600, 99],
        [moments[1].timestamp(), -4 * 3600, 101],
    ]
    assert record.meals.shape == (0, 6)


def test_bad_users_are_reported_and_all_others_are_trained(
    spoiled: Company, expected: dict[str, Any], tmp_path: Path
) -> None:
    def user(number: int) -> str:
        return f"u{number:07d}"

    readings, meals = spoiled.part("readings", 0), spoiled.part("meals", 0)
    first_day = pq.read_table(readings).column("utc_s")[0].as_py() // 86400
    spoiled.change(
        readings,
        lambda rows: [
            r for r in rows if r["user"] != user(0) or r["utc_s"] // 86400 < first_day + 3
        ],
    )
    spoiled.change_user(readings, user(1), glucose_mg_dl=1200.0)
    spoiled.change_user(meals, user(2), fat_g=-3.0)
    spoiled.change_user(spoiled.part("readings", 1), user(4), glucose_mg_dl=100.0)
    spoiled.part("readings", 2).write_bytes(b"PAR1 this is no Parquet PAR1")
    whole = spoiled.part("meals", 3).read_bytes()
    spoiled.part("meals", 3).write_bytes(whole[: len(whole) // 2])
    spoiled.change(spoiled.people, lambda rows: [r for r in rows if r["user"] != user(16)])
    spoiled.change(spoiled.people, lambda rows: [*rows, rows[20], {**rows[0], "user": "nobody"}])
    spoiled.change_user(spoiled.people, user(22), sex="x")
    spoiled.change_user(spoiled.people, user(23), sensor="a thermometer")
    shutil.copy(spoiled.part("meals", 6), spoiled.part("meals", 7).with_name("more.parquet"))
    spoiled.change_user(spoiled.people, user(30), weight_kg=0.0)

    summary = train_cohort(spoiled.folder, tmp_path / "out", backend="serial", chunk_users=5)
    unreadable = [*range(8, 16)]
    in_two = [24, 25, 26, 27]
    found = reasons(tmp_path / "out")
    assert found == {
        user(0): "too few days",
        user(1): "impossible value",
        user(2): "impossible value",
        user(4): "unusable history",
        **{user(number): "unreadable part" for number in unreadable},
        user(16): "no profile",
        user(21): "two profiles",
        user(22): "impossible value",
        user(23): "impossible value",
        **{user(number): "in two partitions" for number in in_two},
        user(30): "impossible value",
        "nobody": "no data",
    }
    trained = {who: row for who, row in models(tmp_path / "out").items() if who not in found}
    assert trained == {who: expected[who] for who in trained}
    assert summary["trained"] == len(trained)
    assert summary["users"] == N_USERS + 1


def test_the_list_of_refused_users_tells_reasons_and_no_values(
    spoiled: Company, tmp_path: Path
) -> None:
    spoiled.change_user(spoiled.part("readings", 0), "u0000001", glucose_mg_dl=1234.5)
    spoiled.change_user(spoiled.people, "u0000002", age=77000.0)
    part = spoiled.part("readings", 1)
    table = pq.read_table(part, partitioning=None).drop_columns(["glucose_mg_dl"])
    words = pa.array(["77 today"] * len(table))
    pq.write_table(table.append_column("glucose_mg_dl", words), part)
    train_cohort(spoiled.folder, tmp_path / "out", backend="serial")
    text = (tmp_path / "out" / "refused.csv").read_text(encoding="utf-8")
    refused = [line["user"] for line in csv.DictReader(text.splitlines())]
    assert refused == [f"u000000{number}" for number in (1, 2, 4, 5, 6, 7)]
    assert "part-0.parquet: the column 'glucose_mg_dl' must contain numbers" in text
    assert "77 today" not in text
    assert "readings[0].value must be 20 to 600 mg/dL" in text
    assert "age must be at most 120" in text
    assert "1234" not in text
    assert "77000" not in text


def test_a_flipped_bit_refuses_users_but_never_changes_a_model(
    spoiled: Company, expected: dict[str, Any]
) -> None:
    """Parts with checksums of their pages, as synthetic ones have."""
    store, predictor, chance = CohortStore(spoiled.folder), Predictor.load(), random.Random(1)
    (chunk, *_) = store.chunks(4)
    same = refused = 0
    for part in (spoiled.part("readings", 0), spoiled.part("meals", 0)):
        whole = part.read_bytes()
        for _ in range(40):
            at = chance.randrange(len(whole))
            part.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << at % 8]) + whole[at + 1 :])
            for row in train_users(store, predictor, fit_personal, chunk).to_pylist():
                user, *became = row.values()
                same += tuple(became) == expected[user]
                refused += row["reason"] == "unreadable part"
        part.write_bytes(whole)
    assert refused > 100
    assert same + refused == 2 * 40 * 4


def test_data_that_change_meanwhile_are_noticed(spoiled: Company, tmp_path: Path) -> None:
    def spoil(done: int, _chunks: int, _users: int) -> None:
        if done == 5:
            spoiled.change_user(spoiled.part("meals", 9), "u0000039", fat_g=20.0)

    with pytest.raises(DataSetError, match="was changed during training"):
        train_cohort(
            spoiled.folder, tmp_path / "out", backend="serial", chunk_users=4, progress=spoil
        )
    with pytest.raises(DataSetError, match="changed since: data; choose"):
        train_cohort(spoiled.folder, tmp_path / "out", backend="serial")


def test_results_may_lie_in_the_folder_of_the_cohort(spoiled: Company) -> None:
    output = spoiled.folder / "models"
    done = train_cohort(spoiled.folder, output, backend="serial")
    assert train_cohort(spoiled.folder, output) == done


@pytest.mark.parametrize("backend", ["loky", pytest.param("dask", marks=pytest.mark.reliability)])
def test_a_worker_killed_in_the_middle_costs_no_user(
    spoiled: Company, expected: dict[str, Any], tmp_path: Path, backend: str
) -> None:
    spoiled.change_user(spoiled.people, "u0000017", age=DEADLY_AGE)  # age changes no model
    dies_once = FitAndDieOnce(tmp_path / "died")
    train_cohort(
        spoiled.folder, tmp_path / "out", backend=backend, n_workers=2, chunk_users=4, fit=dies_once
    )
    assert dies_once.mark.exists()
    assert models(tmp_path / "out") == expected


@pytest.mark.reliability
def test_a_user_who_ends_every_worker_is_found_and_the_others_are_trained(
    spoiled: Company, expected: dict[str, Any], tmp_path: Path
) -> None:
    spoiled.change_user(spoiled.people, "u0000017", age=DEADLY_AGE)
    train_cohort(
        spoiled.folder, tmp_path / "out", backend="loky", n_workers=2, chunk_users=2, fit=fit_or_die
    )
    assert reasons(tmp_path / "out") == {"u0000017": "ended its worker"}
    trained = models(tmp_path / "out")
    assert trained.pop("u0000017")[0] == "refused"
    assert trained == {user: row for user, row in expected.items() if user != "u0000017"}


@pytest.mark.reliability
def test_a_killed_coordinator_goes_on_without_losing_or_repeating_a_user(
    company: Company, expected: dict[str, Any], tmp_path: Path
) -> None:
    """Killed for good whenever another three chunks are there."""
    command = [sys.executable, "-m", "postmeal", "train", "cohort", str(company.folder)]
    command += ["--output", str(tmp_path / "out"), "--chunk-users", "4", "--workers", "2"]
    command += ["--tracking", f"sqlite:///{tmp_path}/mlflow.db"]
    users = tmp_path / "out" / "users"
    kept: dict[str, int] = {}
    for chunks, backend in ((3, "serial"), (6, "loky")):
        process = subprocess.Popen([*command, "--backend", backend], stderr=subprocess.DEVNULL)
        while len(list(users.glob("chunk-*.parquet"))) < chunks:
            assert process.poll() is None
            time.sleep(0.005)
        process.kill()
        process.wait()
        there = {file.name: file.stat().st_mtime_ns for file in users.glob("chunk-*.parquet")}
        assert kept.items() <= there.items()
        kept = there
    done = subprocess.run(
        [*command, "--backend", "serial"], capture_output=True, text=True, check=True
    )
    assert f"{N_USERS} users: {N_USERS} trained" in done.stdout
    assert done.stderr.startswith(f"{len(kept)} of {BUCKETS} chunks, 0 users")
    assert models(tmp_path / "out") == expected
    there = {file.name: file.stat().st_mtime_ns for file in users.glob("chunk-*.parquet")}
    assert kept.items() <= there.items()
    assert not list((tmp_path / "out").rglob("*.part"))


def test_two_coordinators_do_not_share_an_output(company: Company, tmp_path: Path) -> None:
    train_cohort(company.folder, tmp_path, backend="serial")
    results = CohortResults(tmp_path)
    assert results.manifest is not None
    with (
        results.claimed(results.manifest),
        pytest.raises(DataSetError, match="another process is writing to"),
    ):
        train_cohort(company.folder, tmp_path, backend="serial")


def test_what_is_done_stays_done_until_data_model_or_chunks_change(
    spoiled: Company, tmp_path: Path
) -> None:
    output = tmp_path / "out"
    done = train_cohort(spoiled.folder, output, backend="serial", chunk_users=4)
    assert train_cohort(spoiled.folder, output) == done
    with pytest.raises(DataSetError, match="changed since: chunk_users, chunks;"):
        train_cohort(spoiled.folder, output, chunk_users=8)
    spoiled.change_user(spoiled.people, "u0000003", age=44.0)
    with pytest.raises(DataSetError, match="changed since: data; choose"):
        train_cohort(spoiled.folder, output)
    before = models(output)
    again = train_cohort(spoiled.folder, output, backend="serial", restart=True)
    assert again["run_users"] == N_USERS
    assert models(output) == before
    manifest = json.loads((output / "manifest.json").read_text())
    (output / "manifest.json").write_text(json.dumps({**manifest, "model": "population-0"}))
    with pytest.raises(DataSetError, match="changed since: model; choose"):
        train_cohort(spoiled.folder, output)
    (output / "manifest.json").unlink()
    with pytest.raises(DataSetError, match="has no manifest"):
        train_cohort(spoiled.folder, output)


def test_a_predictor_that_has_predicted_is_the_same_model(company: Company, tmp_path: Path) -> None:
    predictor = Predictor.load()
    train_cohort(company.folder, tmp_path, backend="serial", predictor=predictor)
    (tmp_path / "summary.json").unlink()
    again = train_cohort(str(company.folder), str(tmp_path), backend="serial", predictor=predictor)
    assert again["users"] == N_USERS
    assert again["run_users"] == 0


def test_workers_that_cannot_be_hired_cost_no_results(company: Company, tmp_path: Path) -> None:
    train_cohort(company.folder, tmp_path, backend="serial")
    before = models(tmp_path)
    for wrong in ({"backend": "spark"}, {"n_workers": 0}, {"scheduler": "tcp://nowhere:1"}):
        with pytest.raises(InputError):
            train_cohort(company.folder, tmp_path, restart=True, **wrong)
    assert models(tmp_path) == before


def test_damaged_results_are_named_and_may_be_trained_again(
    company: Company, expected: dict[str, Any], tmp_path: Path
) -> None:
    train_cohort(company.folder, tmp_path, backend="serial", chunk_users=4)
    chunk = tmp_path / "users" / "chunk-000003.parquet"
    chunk.write_bytes(chunk.read_bytes()[:-9])
    (tmp_path / "summary.json").unlink()
    with pytest.raises(DataSetError, match=r"chunk-000003.parquet is damaged; delete it"):
        train_cohort(company.folder, tmp_path, backend="serial")
    chunk.unlink()
    assert train_cohort(company.folder, tmp_path, backend="serial")["run_users"] == 4
    assert models(tmp_path) == expected
    (tmp_path / "manifest.json").write_text("{")
    with pytest.raises(DataSetError, match=r"manifest.json is damaged; use --restart"):
        train_cohort(company.folder, tmp_path, backend="serial")


def test_states_are_models_whose_hash_is_beside_them(expected: dict[str, Any]) -> None:
    states = [value for row in expected.values() for value in row if isinstance(value, bytes)]
    assert len(states) == N_USERS
    for state in states:
        assert PersonalModel.from_bytes(state).to_bytes() == state
        assert len(state) <= 2048


def test_a_cohort_without_partitions_is_refused(company: Company, tmp_path: Path) -> None:
    shutil.copy(company.people, tmp_path)
    with pytest.raises(DataSetError, match="no folder such as readings/bucket=0"):
        train_cohort(tmp_path, tmp_path / "out")
    with pytest.raises(InputError, match="chunk_users must be 1 or more, got 0"):
        train_cohort(tmp_path, tmp_path / "out", chunk_users=0)
