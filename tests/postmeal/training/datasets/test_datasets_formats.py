"""Every cleaning rule of every data set, on small files written here in the official formats."""

import numpy as np
import pandas as pd
import pytest

from postmeal.errors import DataSetError
from postmeal.training.datasets import (
    bigideas,
    cgmacros,
    hall2018,
    load_data_set,
    load_meals,
    ogtt75,
    shanghai,
    t1d_uom,
)
from postmeal.training.datasets.shanghai_foods import parse_lines, served_grams, sr28_grams

DEXCOM = (
    "Index,Timestamp (YYYY-MM-DDThh:mm:ss),Event Type,Event Subtype,Patient Info,Device Info,"
    "Source Device ID,Glucose Value (mg/dL),Insulin Value (u),Carb Value (grams),"
    "Duration (hh:mm:ss),Glucose Rate of Change (mg/dL/min),Transmitter Time (Long Integer)\n"
    "1,,DateOfBirth,,1990-01-01,,,,,,,,\n7,,Alert,High,,,iPhone G6,200.0,,,,,\n"
)
LOG = (
    "date,time,time_begin,time_end,logged_food,amount,unit,searched_food,"
    "calorie,total_carb,dietary_fiber,sugar,protein,total_fat\n"
)


def write_bigideas(folder, person, log):
    home = folder / person
    home.mkdir(parents=True)
    times = pd.date_range("2020-02-22 10:00", periods=60, freq="5min")
    rows = (f"{n},{t},EGV,,,,iPhone G6,{100 + n}.0,,,,,1\n" for n, t in enumerate(times))
    (home / f"Dexcom_{person}.csv").write_text(DEXCOM + "".join(rows))
    (home / f"Food_Log_{person}.csv").write_text(log)


@pytest.fixture
def bigideas_folder(tmp_path):
    people = "\ufeffID,Gender,HbA1c\n1,FEMALE,5.5\n3,MALE,5.9\n7,FEMALE,5.3\n"
    (tmp_path / "Demographics.csv").write_text(people, encoding="utf-8")
    one = "2020-02-22,10:30:00,{},,Oat,1.0,cup,Oat,140.0,25.0,,1.0,5.0,{}\n"
    write_bigideas(
        tmp_path, "001", LOG + one.format("2020-02-22 10:30:00", "") + one.format("", "161.0")
    )
    headless = (
        "2020-02-22,10:30:00,2020-02-22 10:30:00,Nuggets,8.0,piece,Nuggets,393.0,19.0,.1,20\n"
    )
    write_bigideas(tmp_path, "003", headless)
    write_bigideas(tmp_path, "007", LOG)
    return tmp_path


def test_bigideas_leaves_out_the_people_whose_log_and_sensor_do_not_overlap(bigideas_folder):
    people = load_data_set("bigideas", bigideas_folder).people
    assert people.person.tolist() == ["001", "003"]
    assert people.condition.tolist() == ["normal", "prediabetes"]
    assert people.sex.tolist() == ["female", "male"]
    assert {"007", "013", "015", "016"} == bigideas.LEFT_OUT


def test_bigideas_003_is_read_without_a_header_row(bigideas_folder):
    entries = bigideas.load(bigideas_folder).entries
    nuggets = entries[entries.person == "003"].iloc[0]
    assert (nuggets.foods, nuggets.energy_kcal, nuggets.carbs_g) == ("Nuggets", 393.0, 19.0)
    assert (nuggets.sugars_g, nuggets.protein_g) == (0.1, 20.0)
    assert nuggets.fat_g == pytest.approx((393 - 4 * 19 - 4 * 20) / 9)
    assert np.isnan(nuggets.fiber_g)


def test_bigideas_fat_comes_from_the_energy_where_it_is_missing_or_impossible(bigideas_folder):
    oats = bigideas.load(bigideas_folder).entries.query("person == '001'")
    assert oats.fat_g.tolist() == pytest.approx([20 / 9, 20 / 9])
    assert oats.fiber_g.isna().all()
    assert oats.time.tolist() == [pd.Timestamp("2020-02-22 10:30")] * 2


def test_bigideas_readings_are_the_egv_rows(bigideas_folder):
    readings = bigideas.load(bigideas_folder).readings
    assert len(readings) == 120
    assert readings.sensor.unique().tolist() == ["Dexcom G6"]
    meals = load_meals("bigideas", bigideas_folder)
    assert meals.glucose_mg_dl_0.tolist() == [106.0, 106.0]


def test_hall_meals_start_30_minutes_after_the_first_reading(tmp_path):
    rows = ["Meal,userID,time,GlucoseValue,CHO,PRO,FAT"]
    for minute in range(0, 181, 5):
        time = pd.Timestamp("2016-04-08 08:10") + pd.Timedelta(minutes=minute)
        rows.append(f"PB 1,2133-001,{time},{90 + minute},51,18,20.0")
        if minute == 60:
            rows.append(f"PB 1,2133-001,{time},{96 + minute},51,18,20.0")
    (tmp_path / "hall_meals.csv").write_text("\n".join(rows))
    data_set = hall2018.load(tmp_path)
    assert data_set.readings.glucose_mg_dl[12] == 153.0  # two on one minute: their mean
    meal = load_meals("hall2018", tmp_path).iloc[0]
    assert meal.meal_time == pd.Timestamp("2016-04-08 08:40")
    assert (meal.glucose_mg_dl_0, meal.glucose_mg_dl_120) == (120.0, 240.0)
    assert meal.energy_kcal == 4 * 51 + 4 * 18 + 9 * 20
    assert (meal.fiber_g, meal.since_meal_h, meal.sensor) == (12.0, 12.0, "Dexcom G4")
    assert np.isnan(meal.sugars_g)
    assert meal.condition == "normal"


def test_hall_people_have_the_diagnosis_of_the_clinical_table(tmp_path):
    rows = ["Meal,userID,time,GlucoseValue,CHO,PRO,FAT"]
    for person in ("one", "two", "three"):
        for minute in range(0, 181, 5):
            time = pd.Timestamp("2016-04-08 08:10") + pd.Timedelta(minutes=minute)
            rows.append(f"PB 1,{person},{time},100,51,18,20.0")
    (tmp_path / "hall_meals.csv").write_text("\n".join(rows))
    clinical = "userID,Age,A1C,diagnosis,Height,Weight\none,59,6.7,diabetic,176.3,68\n"
    (tmp_path / "hall_clinical.csv").write_text(clinical + "two,40,5.8,pre-diabetic,,\n")
    people = hall2018.load(tmp_path).people.set_index("person")
    assert people.condition.to_dict() == {"one": "type_2", "two": "prediabetes", "three": "normal"}
    assert people.hba1c_percent["one"] == 6.7


@pytest.fixture
def ogtt_folder(tmp_path):
    kind = "venous_with_matching_cgm_and_with_planned_athome_cgm"
    rows = ['"SubjectID","Timepoint","ExperimentType","SampleLocation_ExtractionMethod","Glucose"']
    for place, minutes in {
        "CTRU_CGM": range(-10, 181, 5),
        "Home_CGM_1": range(-10, 181, 5),
        "CTRU_Venous": (0, 30, 60, 120),
    }.items():
        rows += [f'"S1",{minute},"{kind}","{place}",{100 + minute}' for minute in minutes]
    name = "filtered_ogtt_glucose_timeseries_ctru_athome_venous_cgm_03222026.csv"
    (tmp_path / name).write_text("\n".join(rows))
    (tmp_path / "filtered_study_participants_characteristics.csv").write_text(
        '"SubjectID","ExperimentType","Age","BMI","Sex","Ethnicity","OGTT_2h","HbA1c","FPG"\n'
        f'"S1","{kind}","50-59","25-29.9","M","Asian",115,5.7,101\n'
        '"S1","venous_without_matching_cgm_and_without_planned_athome_cgm",'
        '"40-49","25-29.9","M","Asian",115,5.1,101\n'
    )
    return tmp_path


def test_ogtt_curves_are_drinks_of_75_g_at_8_in_the_morning(ogtt_folder):
    meals = load_meals("ogtt75", ogtt_folder)
    assert meals.carbs_g.tolist() == [75.0, 75.0]
    assert meals.meal_time.dt.hour.tolist() == [8, 8]
    assert meals[["protein_g", "fat_g", "fiber_g"]].eq(0).all(axis=None)
    assert meals.glucose_mg_dl_120.tolist() == [220.0, 220.0]
    assert meals.condition.tolist() == ["prediabetes"] * 2  # of the part with the sensor
    assert meals.age.tolist() == [55.0] * 2


def test_ogtt_pairs_venous_samples_with_the_sensor(ogtt_folder):
    pairs = ogtt75.paired_blood_glucose(ogtt_folder)
    assert pairs.minute.tolist() == [0, 30, 60, 120]
    assert (pairs.blood_mg_dl == pairs.sensor_mg_dl).all()


def write_cgmacros(path, libre, dexcom, meals, drop=()):
    n = 240
    table = pd.DataFrame({"Timestamp": pd.date_range("2023-09-11 08:00", periods=n, freq="min")})
    minute = np.arange(n)
    table["Libre GL"] = np.interp(minute, np.arange(0, n + 15, 15), libre[: n // 15 + 1])
    table["Dexcom GL"] = np.interp(minute, np.arange(0, n + 5, 5), dexcom[: n // 5 + 1])
    columns = ["Meal Type", "Calories", "Carbs", "Protein", "Fat", "Fiber", "Amount Consumed"]
    table[columns] = np.nan
    table["Meal Type"] = table["Meal Type"].astype(object)
    for at, row in meals.items():
        table.loc[at, columns] = list(row)
    path.parent.mkdir(parents=True, exist_ok=True)
    table.drop(columns=list(drop)).to_csv(path, index=False)


LIBRE = [round(100 + 20 * np.sin(n / 2)) for n in range(40)]
DEXCOM_GLUCOSE = [round(120 + 30 * np.sin(n / 5)) for n in range(80)]
BIO = (
    "subject,Age,Gender,BMI,Body weight,Height,Self-identity,A1c PDL (Lab),Insulin \n"
    "1,33,F,42.4,262.6,66,x,5.5,1\n2,50,M,30,200,70,x,6.5,1\n"
)
BREAKFAST = {30: ("Breakfast", 448, 66, 22, 10.5, 0, 100)}


@pytest.mark.parametrize("nested", [False, True])
def test_cgmacros_is_read_flat_and_nested(tmp_path, nested):
    (tmp_path / "bio.csv").write_text(BIO)
    home = tmp_path / "CGMacros-001" if nested else tmp_path
    write_cgmacros(home / "CGMacros-001.csv", LIBRE, DEXCOM_GLUCOSE, BREAKFAST)
    meals = load_meals("cgmacros", tmp_path)
    assert meals.sensor.tolist() == ["Dexcom G6 Pro", "Libre Pro"]
    assert meals.person.tolist() == ["001", "001"]
    assert meals.meal_time.nunique() == 1
    assert meals.height_cm[0] == pytest.approx(66 * 2.54)
    assert meals.weight_kg[0] == pytest.approx(262.6 * 0.45359237)
    assert meals.glucose_mg_dl_0[1] == LIBRE[2]
    assert meals.sugars_g.isna().all()


def test_cgmacros_native_readings_are_recovered_from_the_minutes(tmp_path):
    own = np.array([100.0, 104.0, 104.0, 120.0, 135.0])
    minutes = np.interp(np.arange(61), np.arange(0, 61, 15), own)
    assert cgmacros.native_readings(minutes, 15).tolist() == [0, 15, 30, 45, 60]
    with_hole = np.concatenate([np.full(3, np.nan), minutes, np.full(2, np.nan)])
    assert cgmacros.native_readings(with_hole, 15).tolist() == [3, 18, 33, 48, 63]


def test_cgmacros_entries_are_cleaned(tmp_path):
    (tmp_path / "bio.csv").write_text(BIO)
    meals = {
        10: ("lunch", 555, 94, 12, 13, 5, 75),  # a box of which 75 % was eaten
        20: ("snack", 365, 34, 7, 23, 11, 50),  # not a lunch: as it stands
        30: ("Lunch", 435, 16, 66, 14, 4, 0.75),
        40: ("dinner", 470, 382, 28, 22, 6, 3),  # a slip for 38.2
        50: ("snack", 3200, 761, 19, 3, 38, 2),  # not believed
        60: ("dinner", 870, 110, 69, 28, 2670, 4),  # sodium under "Fiber"
        70: ("dinner", 0, 0, 0, 0, 0, 0),  # not eaten
        80: ("breakfast", 448, 66, 22, 10.5, 2, 300),
    }
    write_cgmacros(tmp_path / "CGMacros-002.csv", LIBRE, DEXCOM_GLUCOSE, meals)
    data_set = cgmacros.load(tmp_path)
    assert data_set.people.condition.tolist() == ["type_2"]
    since = data_set.entries.time - pd.Timestamp("2023-09-11 08:00")
    entries = data_set.entries.set_index(since.dt.total_seconds() // 60)
    assert entries.carbs_g[10] == 94 * 0.75
    assert entries.energy_kcal[10] == 555 * 0.75
    assert entries.carbs_g[20] == 34
    assert entries.protein_g[30] == 66 * 0.75
    assert entries.carbs_g[40] == pytest.approx((470 - 4 * 28 - 9 * 22) / 4)
    assert np.isnan(entries.carbs_g[50])
    assert entries.fiber_g[[20, 40, 60]].isna().all()
    assert len(entries) == 7
    assert entries.carbs_g[80] == 66  # 300: a count, not percent
    assert entries.fiber_g[80] == 2  # a standard meal's fibre is known


def test_cgmacros_without_the_amount_column_is_read(tmp_path):
    (tmp_path / "bio.csv").write_text(BIO)
    path = tmp_path / "CGMacros-001.csv"
    write_cgmacros(path, LIBRE, DEXCOM_GLUCOSE, BREAKFAST, drop=["Amount Consumed"])
    assert load_meals("cgmacros", tmp_path).carbs_g.tolist() == [66, 66]


def test_cgmacros_names_the_file_or_column_that_is_missing(tmp_path):
    (tmp_path / "bio.csv").write_text(BIO)
    with pytest.raises(DataSetError, match=r"CGMacros-001\.csv"):
        cgmacros.load(tmp_path)
    path = tmp_path / "CGMacros-001.csv"
    write_cgmacros(path, LIBRE, DEXCOM_GLUCOSE, BREAKFAST, drop=["Carbs"])
    with pytest.raises(DataSetError, match="is missing required columns: Carbs"):
        cgmacros.load(tmp_path)


@pytest.mark.parametrize("content", [b"", b"\xff\xfejunk", b"a,b\n1,2\n"])
def test_a_damaged_table_is_no_data_set(tmp_path, content):
    (tmp_path / "hall_meals.csv").write_bytes(content)
    with pytest.raises(DataSetError, match="hall2018 in its official format"):
        load_meals("hall2018", tmp_path)


def write_recording(path, texts, insulin=None, chinese="饮食", unit=" (mg / dl)"):
    n = 40
    sheet = pd.DataFrame({"Date": pd.date_range("2021-05-01 06:00", periods=n, freq="15min")})
    sheet[f"CGM{unit}"] = 120.0 + np.arange(n)
    sheet[f"CBG{unit}"] = [130.0 if row == 4 else np.nan for row in range(n)]
    sheet["Dietary intake"] = None
    sheet[chinese] = [texts.get(row) for row in range(n)]
    sheet["Non-insulin hypoglycemic agents"] = "metformin"
    sheet["Insulin dose - s.c."] = [insulin if row == 1 else None for row in range(n)]
    sheet["CSII - bolus insulin (Novolin R, IU)"] = None
    path.parent.mkdir(parents=True, exist_ok=True)
    sheet.to_excel(path, index=False)


@pytest.fixture
def shanghai_folder(tmp_path):
    names = ["2001_0_20210501", "2001_1_20210601", "2002_0_20210501"]
    summary = pd.DataFrame({"Patient Number": names, "Gender (Female=1, Male=2)": [1, 1, 2]})
    summary["Age (years)"], summary["Height (m)"] = 60, 1.6
    summary["Weight (kg)"], summary["HbA1c (mmol/mol)"] = 60.0, [53, 60, 53]
    summary.to_excel(tmp_path / "Shanghai_T2DM_Summary.xlsx", index=False)
    folder = tmp_path / "Shanghai_T2DM"
    write_recording(folder / f"{names[0]}.xlsx", {4: "米饭100g\n青菜100g", 20: "未记录"})
    write_recording(folder / f"{names[1]}.xlsx", {4: "馒头100g"}, chinese="进食量", unit="")
    write_recording(folder / f"{names[2]}.xlsx", {4: "米饭100g"}, insulin="Novolin R, 4 IU")
    return tmp_path


@pytest.mark.reliability
def test_shanghai_leaves_out_recordings_with_insulin_and_joins_those_of_a_person(shanghai_folder):
    data_set = shanghai.load(shanghai_folder)
    assert data_set.people.person.tolist() == ["2001"]
    person = data_set.people.iloc[0]
    assert (person.condition, person.sex, person.height_cm) == ("type_2", "female", 160.0)
    assert person.hba1c_percent == pytest.approx(7.0, abs=0.01)
    assert data_set.entries.foods.tolist() == ["米饭", "青菜", "", "馒头"]
    assert data_set.entries.carbs_g.isna().tolist() == [False, False, True, False]


def test_shanghai_meals_hold_what_the_catalogue_says_of_their_grams(shanghai_folder):
    rice, greens, _, bun = shanghai.load(shanghai_folder).entries.itertuples()
    assert rice.carbs_g + greens.carbs_g == pytest.approx(28.2 + 1.7, abs=0.3)
    assert rice.fiber_g + greens.fiber_g == pytest.approx(1.4, abs=0.2)
    assert bun.carbs_g == pytest.approx(45.8, abs=0.3)


def test_shanghai_pairs_finger_sticks_with_the_sensor_with_and_without_insulin(shanghai_folder):
    pairs = shanghai.paired_blood_glucose(shanghai_folder)
    assert pairs.blood_mg_dl.tolist() == [130.0] * 3
    assert pairs.sensor_mg_dl.tolist() == [124.0] * 3


def test_shanghai_names_the_recording_and_the_column_that_is_missing(shanghai_folder):
    recording = shanghai_folder / "Shanghai_T2DM" / "2002_1_20210501.xlsx"
    write_recording(recording, {4: "米饭100g"}, chinese="吃")
    said = r"2002_1_20210501\.xlsx must have a column whose name starts with 饮食 or 进食量; its"
    with pytest.raises(DataSetError, match=said):
        shanghai.load(shanghai_folder)


def test_shanghai_amounts_are_read_as_written():
    text = "大排100mg\n加6.5g糖的拿铁\n黑麦面包1片50g\n茄子150g.\n包菜"
    lines = parse_lines(text)
    assert [(line.name, line.grams) for line in lines[:-1]] == [
        ("大排", 100.0),
        ("糖", 6.5),
        ("的拿铁", 240.0),
        ("黑麦面包", 50.0),
        ("茄子", 150.0),
    ]
    assert lines[-1].name == "包菜"
    assert np.isnan(lines[-1].grams)
    assert served_grams(lines[-1]) is None


def test_shanghai_longest_words_win_and_staples_count_twice():
    assert sr28_grams("牛奶面包") == {"18069": 1.0}
    dumpling, noodles = sr28_grams("青菜面条"), sr28_grams("菠菜面条")
    assert dumpling == {"20081": 0.33}
    assert noodles["20081"] == pytest.approx(0.33 * 2 / 3 * 0.97)


def test_shanghai_impossible_amounts_make_the_content_unknown():
    for text in ("青菜豆腐饺子4000g", "米饭100g\n青菜豆腐饺子4000g", "data not available"):
        assert shanghai.food_contents(text).carbs_g.isna().tolist() == [True]


def test_t1d_uom_is_in_mmol_l_with_the_day_first(tmp_path):
    for name in ("Glucose Data", "Nutrition Data"):
        (tmp_path / name).mkdir()
    times = pd.date_range("2023-10-01 00:00", periods=60, freq="5min").strftime("%d/%m/%Y %H:%M")
    rows = "".join(f"{time},{10 if n else 0.1}\n" for n, time in enumerate(times))
    (tmp_path / "Glucose Data" / "UoMGlucose2301.csv").write_text("bg_ts,value\n" + rows)
    (tmp_path / "Nutrition Data" / "UoMNutrition2301.csv").write_text(
        "\ufeffmeal_ts,meal_type,meal_tag,carbs_g,prot_g,fat_g,fibre_g\n"
        "01/10/2023 01:00,Breakfast,Porridge,50,10,5,205\n"
        "22/10/2204 10:00,Lunch,,10,,,\nlater,Lunch,,10,,,\n",
        encoding="utf-8",
    )
    assert len(t1d_uom.load(tmp_path).readings) == 59
    meal = load_meals("t1d_uom", tmp_path)
    assert meal.meal_time.tolist() == [pd.Timestamp("2023-10-01 01:00")]
    assert meal.condition.tolist() == ["type_1"]
    assert meal.glucose_mg_dl_0.tolist() == [pytest.approx(180.16)]
    assert meal.energy_kcal.tolist() == [4 * 50 + 4 * 10 + 9 * 5]
    assert meal.fiber_g.isna().all()
