"""Glucose readings are read with their unit."""

from __future__ import annotations

import pytest
from conversations import answer

from postmeal.chat.danger import current_readings
from postmeal.chat.fixed_texts import fixed_text
from postmeal.chat.glucose_readings import readings, worst


@pytest.mark.parametrize(
    ("text", "mg_dl"),
    [
        ("my sugar is 42", 42),
        ("sensor says 2.3 mmol/l", 41),
        ("bg 310 mg/dl since noon", 310),
        ("i'm at 240 right now", 240),
        ("glucose: 16,5 mmol/l", 297),
    ],
)
def test_a_reading_is_found_in_either_unit(text: str, mg_dl: float) -> None:
    (reading,) = readings(text)
    assert reading.mg_dl is not None
    assert round(reading.mg_dl) == mg_dl


@pytest.mark.parametrize(
    "text",
    ["150 g of rice", "i'm 42 years old", "my a1c is 7.2", "it raised me by 40 mg/dl", "0 mg"],
)
def test_other_numbers_are_no_readings(text: str) -> None:
    assert readings(text) == ()


def test_minutes_that_are_asked_for_are_no_reading() -> None:
    assert readings("what will rice do to my glucose at 30, 60 and 90 minutes?") == ()


@pytest.mark.parametrize(
    "text",
    [
        "my glucose is 42 and 60 minutes ago it was 90",
        "my sugar is at 45, 30 minutes after eating",
        "will i be ok, my glucose is at 42 and 30 minutes ago it was 60",
    ],
)
def test_a_low_reading_before_minutes_stays_a_reading(text: str) -> None:
    assert readings(text)[0].said < 54


def test_a_reading_that_could_be_in_both_units_is_asked_back() -> None:
    found = answer("my glucose is 7.2")
    assert found.route == "clarify"
    assert "mmol/L or mg/dL" in found.text


def test_a_low_reading_is_repeated_in_both_units() -> None:
    assert "2.3 mmol/L (41 mg/dL)" in answer("my glucose is 2.3 mmol/L").text


@pytest.mark.parametrize(
    ("text", "mg_dl"),
    [
        ("sugar's at 38 and dropping", 38),
        ("my blood sugar's 38", 38),
        ("i'm at 48, rice or bread?", 48),
        ("bs 41 what to eat", 41),
        ("bsl 2.5 help", 45),
        ("2.1 on the meter", 38),
        ("my sugar is thirty eight", 38),
        ("my sugar is two point one", 38),
        ("my sugar is three hundred and ten", 310),
        ("glucose went from 120 to 45 what now? banana?", 45),
        ("my sugar is about 41ish", 41),
        ("my sugar is 41mg", 41),
        ("my sugar is 0.4 g/l what to eat", 40),
        ("my readings: 110, 95, 47. what should i eat?", 47),
        ("my sugar was 8 mmol this morning, now it is 27", 486),
        ("my sugar is low. 45 now. what do i eat?", 45),
        ("he was 240 and now he is 41", 41),
        ("my sugar after weight training is 45", 45),
        ("my sugar is not 90 but 41", 41),
        ("she's at 2.4 and her hands tremble", 43),
    ],
)
def test_a_reading_is_found_in_other_words(text: str, mg_dl: float) -> None:
    assert round(worst(readings(text)).mg_dl or 0.0) == mg_dl


SUBJECTS = ("my sugar", "my blood sugar", "his glucose", "bg", "the sensor", "my daughter's sugar")
VERBS = ("is", "was just", "is now at", "has dropped to", "says", "reads", "is only")
NUMBERS = ("41", "41 mg/dl", "2.3 mmol/l", "2,3", "41.", "forty-one", "around 41")


@pytest.mark.parametrize("subject", SUBJECTS)
@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("number", NUMBERS)
def test_a_low_reading_is_found_in_each_composed_sentence(
    subject: str, verb: str, number: str
) -> None:
    text = f"i just woke up and {subject} {verb} {number}"
    assert 40 < (worst(readings(text)).mg_dl or 0.0) < 42, text


@pytest.mark.parametrize("noun", ["g rice", "people", "minutes", "carbs", "years old", "%", "kg"])
@pytest.mark.parametrize("subject", ["my sugar is fine with", "i have", "sugar for", "i'm at"])
def test_a_number_that_counts_something_is_no_reading(subject: str, noun: str) -> None:
    assert readings(f"{subject} 41 {noun}") == ()


@pytest.mark.parametrize(
    "text",
    [
        "my hdl is 45 mg/dl, can i eat 2 eggs?",
        "my triglycerides are 45 mg/dl",
        "my potassium is 2.9 mmol/l",
        "creatinine 0.9 mg/dl",
        "ketones 0.4 mmol/l",
        "is 55 mmol/mol low?",
        "150 g rice: glucose at 45 and 90 minutes?",
        "my low alarm is at 50 mg/dl",
        "i want to keep my glucose above 50",
        "my sugar is not 45 mg/dl",
        "what is 45 mg/dl in mmol/l?",
        "ratio 1:8, target 45, factor 40",
        "dinner is at 41",
        "how does my sugar react to 22, 33 or 44 g rice?",
    ],
)
def test_other_quantities_aims_and_denials_are_no_readings(text: str) -> None:
    assert readings(text) == ()


def test_a_reading_of_another_day_is_no_emergency() -> None:
    assert current_readings("i was at 45 mg/dl yesterday, today fine") == ()


@pytest.mark.parametrize(
    "turns",
    [
        ["I measure in mmol/L. My sugar is 25 and I'm so thirsty"],
        ["I live in the UK and use mmol/L.", "my sugar is 25, what now?"],
        ["my sugar is 25", "mmol/l"],
        ["my sugar is 28, I'm type 1, thirsty and peeing a lot"],
        ["sugar 30, ketones 3.2"],
        ["my sugar is 33 and I vomit"],
        ["my meter says 22 after cake"],
    ],
)
def test_glucose_that_can_be_high_is_never_called_low_alone(turns: list[str]) -> None:
    found = answer(*turns)
    assert "which is dangerously low" not in found.text
    assert "needs fast sugar at once, such as" not in found.text


def test_a_unit_of_a_system_message_holds() -> None:
    found = answer("my sugar is 6.1. what does 150 g rice do?", system="The user uses mmol/L.")
    assert found.route == "computed"


def test_glucose_that_is_dangerous_in_both_units_gets_a_text_for_both() -> None:
    found = answer("my meter says 22 after cake")
    assert found.route == "emergency"
    assert "without a unit" in found.text


@pytest.mark.parametrize("reading", ["3.9", "15", "7"])
def test_the_unit_is_asked_before_a_meal_is_computed(reading: str) -> None:
    text = f"my sugar is {reading}. what does 150 g rice do?"
    assert "mmol/L or mg/dL" in answer(text).text
    assert "mmol/L or mg/dL" in answer(text, "and 200 g of rice?").text


@pytest.mark.parametrize(
    ("reply", "reading"),
    [("mmol/l", "7 mmol/L"), ("in mmol, please", "7 mmol/L"), ("mg/dl? no mmol", "7 mmol/L")],
)
def test_a_reply_to_the_question_for_the_unit_is_read_with_it(reply: str, reading: str) -> None:
    assert reading in answer("my sugar is 7", reply).text


def test_a_meal_is_computed_when_the_unit_is_known() -> None:
    assert answer("my sugar is 7. what does 150 g rice do?", "mmol/l").route == "computed"


def test_a_low_reading_in_mg_dl_is_one_after_the_reply() -> None:
    assert "15 mg/dL (0.8 mmol/L)" in answer("my sugar is 15", "mg/dl").text
    assert "extremely low" in answer("my sugar is 7", "mg/dl").text


def test_a_conversion_is_no_reading_of_a_person() -> None:
    assert "7 mmol/L (126 mg/dL)" in answer("what is 7 mmol/l in mg/dl?").text
    assert answer("what is 45 mg/dL in mmol/L?").route == "clarify"


@pytest.mark.parametrize(
    ("text", "fixed"),
    [
        ("HI on my meter", "emergency_high"),
        ("my libre shows HI after 100 g cake, what can I eat?", "emergency_high"),
        ("meter reads LO", "emergency_low"),
        ("it says LO", "emergency_low"),
    ],
)
def test_a_display_beyond_the_range_of_a_meter_counts_as_a_reading(text: str, fixed: str) -> None:
    found = answer(text)
    assert found.route == "emergency"
    assert found.sentences[-1].text == fixed_text(fixed)[-1]


@pytest.mark.parametrize(
    "text",
    [
        "the meter said HI yesterday, how many carbs are in a banana?",
        "my sensor reads high after 100 g pizza, why?",
        "lo-carb bread: how many carbs are in 100 g?",
        "what does LO mean on a meter?",
    ],
)
def test_another_mention_of_a_high_or_low_display_is_no_reading(text: str) -> None:
    assert answer(text).route != "emergency"


def test_a_reading_within_the_range_ends_the_emergency_of_a_display() -> None:
    assert answer("my meter reads LO", "now 110 mg/dl. carbs in a banana?").route == "computed"


@pytest.mark.parametrize(
    ("text", "mg_dl"),
    [
        ("my sugar is under 2", 36),
        ("glucose <40 mg/dl", 40),
        ("glucose under 2", 36),
        ("glucose between 2.0 and 2.4 mmol/l", 36),
        ("between 40 and 45 mg/dl", 40),
        ("he is between 50 and 60 mg/dl", 50),
        ("glucose in the low 40s", 40),
        ("her sugar is back in the 50s", 50),
        ("sugar 2.2mmoll", 40),
        ("glucose over 500", 500),
        ("glucose above 30 mmol/l", 540),
        ("mine is 2.4 rn", 43),
        ("low 45!", 45),
        ("hypo, 2.6", 47),
        ("2.8 what do i eat now", 50),
        ("my sugar is 4o mg/dl", 40),
    ],
)
def test_a_limit_a_range_or_a_short_form_is_a_reading(text: str, mg_dl: float) -> None:
    assert round(worst(current_readings(text)).mg_dl or 0.0) == mg_dl
    assert answer(text).route == "emergency"


def test_a_reading_below_a_number_is_lower_than_it() -> None:
    (reading,) = readings("my sugar is under 54 mg/dl")
    assert reading.mg_dl is not None
    assert reading.mg_dl < 54
    assert "below 54 mg/dL (3.0 mmol/L)" in answer("my sugar is under 54 mg/dl").text


@pytest.mark.parametrize(
    "text",
    [
        "what happens below 54 mg/dl?",
        "below 54 mg/dl?",
        "is glucose over 500 dangerous?",
        "time below 54 mg/dl in trials",
        "level 2 hypoglycemia is glucose <54 mg/dl",
        "does metformin help when glucose is under 2?",
        "which foods keep glucose between 70 and 180 mg/dl?",
        "my sugar never goes below 54",
        "my mother is in her 40s, how much sugar may she eat?",
        "people in the 40s",
        "low 45 g carbs",
        "sugar under 5 g per 100 g",
        "my sugar intake is under 25 g",
        "2 what do i eat",
        "mine is 2.4 kg",
    ],
)
def test_a_limit_in_research_or_of_something_else_is_no_reading(text: str) -> None:
    assert current_readings(text) == ()


def test_a_reading_after_an_emergency_that_is_over_raises_no_alarm() -> None:
    assert answer("it is over, now 110").route != "emergency"
    assert answer("my sugar is 42", "it is over, now 110").route != "emergency"
