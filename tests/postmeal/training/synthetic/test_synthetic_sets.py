"""Made-up data sets in the official formats: loaders read them back unchanged."""

import hashlib
from pathlib import Path

import pandas as pd
import pytest
import xlwt

from postmeal.cli import main
from postmeal.errors import InputError
from postmeal.training.datasets import DATA_SETS, load_data_set, ogtt75, shanghai
from postmeal.training.datasets.data_set import CONTENT
from postmeal.training.datasets.meals_table import meals_table
from postmeal.training.fit.sensors import dexcom_constant, libre_constant
from postmeal.training.synthetic.data_sets import write_synthetic_sets
from postmeal.training.synthetic.data_sets.people import SENSORS

KEYS = {
    "people": ["person"],
    "entries": ["person", "time"],
    "readings": ["person", "sensor", "time"],
}
MERGED, ALONE = pd.Timedelta(minutes=15), pd.Timedelta(hours=2)


@pytest.fixture(scope="module")
def loaded(made_up_data):
    folder, _ = made_up_data
    return {name: load_data_set(name, folder / name) for name in DATA_SETS}


every_set = pytest.mark.parametrize("name", DATA_SETS)


def in_order(table: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    return table.sort_values(keys, kind="stable").reset_index(drop=True)


@every_set
def test_a_loader_reads_the_made_up_data(name, loaded, made_up_data):
    """People, log entries and readings, each value in the right unit."""
    _, made_up = made_up_data
    for kind, keys in KEYS.items():
        expected = in_order(getattr(made_up[name], kind), keys)
        assert len(expected) > 0
        found = getattr(loaded[name], kind)
        if name == "shanghai" and kind == "entries":  # one row per food instead of per meal
            found = found.groupby(keys)[list(CONTENT)].sum(min_count=1).reset_index()
            expected = expected.drop(columns="foods")
        pd.testing.assert_frame_equal(in_order(found, keys), expected, check_dtype=False, rtol=1e-9)


def isolated_meals_by_hand(entries: pd.DataFrame) -> set[tuple[str, pd.Timestamp]]:
    """Return the first bites of meals of known carbohydrate that no meal follows in two hours."""
    found = set()
    for person, log in entries[~(entries.energy_kcal < 5)].groupby("person"):
        meals: list[list[tuple[pd.Timestamp, float]]] = []
        for time, carbs in zip(
            *(log.sort_values("time")[k] for k in ("time", "carbs_g")), strict=True
        ):
            if meals and time - meals[-1][-1][0] <= MERGED:
                meals[-1].append((time, carbs))
            else:
                meals.append([(time, carbs)])
        for meal, after in zip(meals, [*meals[1:], None], strict=True):
            known = all(carbs == carbs for _, carbs in meal)
            if known and (after is None or after[0][0] - meal[0][0] >= ALONE):
                found.add((person, meal[0][0]))
    return found


@every_set
def test_the_meals_table_holds_the_isolated_meals_with_readings_around(name, loaded, made_up_data):
    _, made_up = made_up_data
    table = meals_table(loaded[name])
    expected = isolated_meals_by_hand(made_up[name].entries)
    for sensor, rows in table.groupby("sensor"):
        found = set(zip(rows.person, rows.meal_time, strict=True))
        assert len(found) == len(rows)
        read = made_up[name].readings
        read = read[read.sensor == sensor].groupby("person").time
        first, last = read.min(), read.max()
        within = {
            (person, time)
            for person, time in expected
            if first[person] <= time and time + ALONE <= last[person]
        }
        assert found <= expected
        assert len(within - found) <= 0.1 * len(within)  # where readings were lost
    assert table.glucose_mg_dl_60.mean() > table.glucose_mg_dl_0.mean() + 10


def test_every_state_of_regulation_is_there(loaded):
    people = pd.concat([one.people for one in loaded.values()])
    counts = people.condition.value_counts()
    assert set(counts.index) == {"normal", "prediabetes", "type_2", "type_1"}
    assert counts.min() >= 4


def test_sensor_constants_are_the_made_up_ones(made_up_data):
    folder, _ = made_up_data
    dexcom = dexcom_constant(ogtt75.paired_blood_glucose(folder / "ogtt75"))
    libre = libre_constant(shanghai.paired_blood_glucose(folder / "shanghai"))
    assert dexcom.offset_mg_dl == pytest.approx(SENSORS["Dexcom"][0], abs=0.5)
    assert dexcom.gain == SENSORS["Dexcom"][1]
    assert libre.offset_mg_dl == pytest.approx(SENSORS["Libre"][0], abs=1)
    assert libre.gain == pytest.approx(SENSORS["Libre"][1], abs=0.01)


def digests(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.reliability
def test_the_same_seed_writes_the_same_people_and_another_seed_writes_others(
    made_up_data, tmp_path, capsys
):
    folder, made_up = made_up_data
    assert main(["datasets", "synthesize", str(tmp_path / "again")]) == 0
    assert f"postmeal train --data {tmp_path / 'again'}" in capsys.readouterr().out
    first, again = digests(folder), digests(tmp_path / "again")
    assert first.keys() == again.keys()
    assert {name for name in first if first[name] != again[name]} <= {
        name
        for name in first
        if name.endswith(".xlsx")  # a workbook holds when it was written
    }
    sheets = [shanghai.load(where / "shanghai") for where in (folder, tmp_path / "again")]
    pd.testing.assert_frame_equal(sheets[0].readings, sheets[1].readings)
    others = write_synthetic_sets(tmp_path / "others", seed=1)
    for name, one in others.items():
        assert not one.readings.equals(made_up[name].readings), name


def test_an_existing_data_set_is_never_overwritten(tmp_path, capsys):
    (tmp_path / "hall2018").mkdir()
    assert main(["datasets", "synthesize", str(tmp_path)]) == 2
    assert "folder must not already contain hall2018" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["hall2018"]
    with pytest.raises(InputError, match="seed must be 0 or more, got -1"):
        write_synthetic_sets(tmp_path / "new", seed=-1)


def test_a_shanghai_recording_is_read_as_xls_as_well(made_up_data, tmp_path):
    """Most of the published recordings are in the older format."""
    folder, _ = made_up_data
    source = folder / "shanghai"
    recordings = tmp_path / "Shanghai_T2DM"
    recordings.mkdir()
    summary = "Shanghai_T2DM_Summary.xlsx"
    (tmp_path / summary).write_bytes((source / summary).read_bytes())
    for path in sorted((source / "Shanghai_T2DM").glob("2001_*.xlsx")):
        save_as_xls(pd.read_excel(path, engine="calamine"), recordings / f"{path.stem}.xls")
    as_xlsx, as_xls = shanghai.load(source), shanghai.load(tmp_path)
    assert as_xls.people.person.tolist() == ["2001"]
    for kind in ("entries", "readings"):
        of_person = getattr(as_xlsx, kind).query("person == '2001'").reset_index(drop=True)
        pd.testing.assert_frame_equal(getattr(as_xls, kind), of_person)


def save_as_xls(sheet: pd.DataFrame, path: Path) -> None:
    book = xlwt.Workbook()
    page = book.add_sheet("recording")
    moment = xlwt.easyxf(num_format_str="YYYY-MM-DD HH:MM:SS")
    for column, name in enumerate(sheet.columns):
        page.write(0, column, name)
        for row, value in enumerate(sheet[name], start=1):
            if isinstance(value, pd.Timestamp):
                page.write(row, column, value.to_pydatetime(), moment)
            elif value == value and value is not None:
                page.write(row, column, value)
    book.save(str(path))
