"""Low glucose, new type 1 diabetes, feet and pregnancy get texts about what to do today."""

from __future__ import annotations

import pytest
from conversations import answer

from postmeal.chat.urgent_care import urgent_care


@pytest.mark.parametrize(
    "text",
    [
        "I'm 66 and shaking, help",
        "meter reads 3.5 mmol/L, which food now?",
        "bg 67, what do I eat",
        "glucose of 57 and jittery, is toast ok",
        "I'm at 63 mg/dL. How much apple juice?",
        "signs of low blood sugar, clammy and hungry: what is best to eat?",
        "sensor 65 with two arrows down before football, a banana?",
        "my daughter has type 1 and is 3.3, awake but cross",
        "what's the treatment of a hypo?",
        "can you explain the 15-15 rule",
        "62 mg/dl in the middle of the night, lightheaded. biscuit or cola?",
        "dizzy after gardening, the libre shows 64",
        "BG 58 and dropping",
        "my boy is on 3.6 and trembling",
        "3.2 ↓ and he feels hypo",
        "how many grams of sugar for a low?",
        "i feel shaky, i have diabetes and no meter here",
        "i'm 60 and falling",
    ],
)
def test_low_glucose_needs_fast_sugar_and_a_second_measurement(text: str) -> None:
    found = answer(text)
    assert "fast sugar now: about 15 g" in found.text
    assert "Measure again after 15 minutes" in found.text
    assert "911" in found.text
    assert not found.computed


@pytest.mark.parametrize(
    "text",
    [
        "yesterday I was 61, now 118. is one banana ok?",
        "my A1c is 64 mmol/mol, oatmeal or toast?",
        "my uncle is 68 with type 2; porridge or muesli?",
        "I am 59 years old with type 2, how many carbs are in 100 g rice?",
        "what do 60 g of carbs in bread do to me?",
        "I weigh 66 kg and have diabetes, carbs in 2 eggs?",
        "my HDL is 61 mg/dl, are nuts good?",
        "my sensor alarm is set to 65 mg/dl, carbs in 1 apple?",
        "it was 63 this morning and now 125. what will 100 g rice do?",
        "which low carb snack should I eat?",
        "false alarm: the sensor said 60 because I lay on it",
        "I weigh 3.5 kg less since I eat oats, and have diabetes",
        "what is hypoglycemia?",
        "which breakfast prevents lows?",
        "most mornings I wake up at 65",
        "the libre says 3.3 at night but my finger says 5.2, why?",
        "will porridge raise it by more than 3 mmol?",
    ],
)
def test_another_number_or_another_day_is_no_low(text: str) -> None:
    assert "fast sugar" not in answer(text).text


@pytest.mark.parametrize(
    "text",
    [
        "sugar 62 and he can't swallow",
        "bg 60, she is confused",
        "50 mg/dl, what now?",
        "he is unconscious, 64 mg/dl",
    ],
)
def test_a_low_stays_an_emergency_if_it_is_severe_or_the_person_is_not_awake(text: str) -> None:
    found = answer(text)
    assert found.route == "emergency"
    assert "which is low for a person" not in found.text


@pytest.mark.parametrize(
    "text",
    [
        "are raisins ok for a low?",
        "what could I nibble if my glucose falls under 4?",
        "how many dextrose tablets do I need for a hypo?",
        "which drinks work when my levels get low",
        "how can I avoid hypos on my bike tour?",
        "would honey do if I go low at work",
        "is milk enough for hypoglycemia in a teenager?",
    ],
)
def test_a_question_on_treating_or_preventing_a_low_needs_no_reading(text: str) -> None:
    found = answer(text)
    assert found.route == "low_glucose"
    assert "fast sugar now: about 15 g" in found.text


@pytest.mark.parametrize(
    "text",
    [
        "which low GI fruit is best?",
        "are low-fat crisps ok for the evening?",
        "what drinks keep my sugar low?",
        "I had one hypo in 2018. how many carbs are in 100 g rice?",
        "does exercise raise the risk of hypoglycemia in type 1?",
    ],
)
def test_low_in_another_sense_is_no_low_glucose(text: str) -> None:
    assert "fast sugar" not in answer(text).text


def test_a_question_about_insulin_and_a_low_gets_both_texts() -> None:
    found = answer("how much less insulin should I inject for a run, and is juice ok for a low?")
    assert found.route == "dosing"
    assert "I do not give doses" in found.text
    assert "fast sugar now" in found.text


@pytest.mark.parametrize(
    "text",
    [
        "my wife uses insulin and is pale, sweaty and confused, but she talks",
        "dad on gliclazide is drowsy and trembling",
        "glucose 63, he is confused but awake",
        "sweating like mad and my heart is pounding, I'm diabetic",
        "I nearly passed out, the meter says 3.4",
    ],
)
def test_an_emergency_that_can_be_a_low_also_tells_of_fast_sugar(text: str) -> None:
    found = answer(text)
    assert found.route == "emergency"
    assert "911" in found.text
    assert "who is awake and can swallow needs fast sugar" in found.text


@pytest.mark.parametrize(
    "text",
    [
        "my sugar is 420 and she is confused",
        "he has diabetes, is so thirsty, drowsy and breathes deeply",
        "he is unconscious, glucose 64",
    ],
)
def test_an_emergency_that_is_no_low_of_an_awake_person_tells_of_no_sugar(text: str) -> None:
    found = answer(text)
    assert found.route == "emergency"
    assert "fast sugar" not in found.text


@pytest.mark.parametrize(
    ("text", "reading"),
    [
        ("my sensor reads 61 although I feel great", "61 mg/dL"),
        ("nan has 3.7 and is wobbly", "3.7 mmol/L"),
        ("it's 64 again in spite of 3 jelly beans", "64 mg/dL"),
        ("had juice for a low, still 66", "66 mg/dL"),
        ("I'm 67, will a biscuit bring me back up?", "67 mg/dL"),
        ("woke up to 3.4, porridge or eggs?", "3.4 mmol/L"),
        ("3.7 before bed, is a biscuit enough?", "3.7 mmol/L"),
        ("waking with 66, what should I have first?", "66 mg/dL"),
        ("libre shows 3.5 and I did not eat all day because I feel fat", "3.5 mmol/L"),
    ],
)
def test_a_present_low_needs_no_word_for_sugar(text: str, reading: str) -> None:
    found = answer(text)
    assert reading in found.text or found.route == "selfharm"
    assert "needs fast sugar" in found.text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("I'm 64 and have prediabetes, what does a bowl of rice do to me?", "64-year-old"),
        ("my weight is 66 and height 172, type 2, two slices of bread?", "Bread"),
        ("yesterday I was at 58 before bed but now I'm 112, what will an apple do?", "45-year-old"),
        ("I'm 62 and use a libre, what will an apple do?", "62-year-old"),
        ("I'm 61, type 2, will porridge push my sugar up?", "61-year-old"),
        ("my gran is 64, type 2: porridge or weetabix?", "64-year-old woman"),
        ("my husband is 70, prediabetic. white rice or brown rice?", "70-year-old man"),
        ("last month I had a low at 62, what will 150 g rice do?", "150 g of White rice"),
        ("Yesterday I hit 55 overnight, this morning 110. Is a banana ok?", "Banana"),
    ],
)
def test_an_age_a_weight_or_a_past_low_does_not_prevent_an_answer(text: str, said: str) -> None:
    found = answer(text)
    assert found.route == "computed"
    assert said in found.text


def test_recurrent_signs_of_a_low_of_a_person_on_medicine_are_told_of_fast_sugar() -> None:
    found = answer("Some mornings I get trembly around 11, I'm on gliclazide")
    assert found.route == "dosing"
    assert "needs fast sugar" in found.text


def test_a_likely_emergency_is_told_before_the_care_today() -> None:
    found = answer("my dad has diabetes and his heel is open and smells bad")
    assert found.text.startswith("This can be an emergency")
    assert "call the diabetes foot clinic" in found.text


def test_a_hypo_without_a_reading_is_told_what_to_do_at_once() -> None:
    found = answer("I'm having a hypo, what should I eat?")
    assert found.route == "emergency"
    assert "fast sugar at once" in found.text


def test_a_low_reading_stops_the_curve_but_not_the_nutrients() -> None:
    low = "I'm at 62 mg/dL"
    assert answer(low, "what will 150 g rice do to my glucose?").route == "low_glucose"
    assert "carbohydrate" in answer(low, "how many carbs are in 150 ml orange juice?").text
    assert answer(low, "how many carbs are in 150 ml orange juice?").route == "computed"


def test_a_later_reading_or_the_end_of_the_low_starts_the_curve_again() -> None:
    curve = "what will 150 g rice do to my glucose?"
    assert answer("I'm at 62 mg/dL", "my sugar is 110 mg/dL", curve).route == "computed"
    assert answer("I'm at 62 mg/dL", "he is fine now", curve).route == "computed"
    assert answer("I'm at 62 mg/dL", "ok", "thanks", "hm", curve).route == "computed"


def test_a_low_reading_in_a_system_message_stops_the_curve() -> None:
    found = answer("what will 150 g rice do to me?", system="The user's glucose is 61 mg/dL.")
    assert found.route == "low_glucose"


@pytest.mark.parametrize(
    "text",
    [
        "my 9 year old wees all the time, is always thirsty and lost 3 kg",
        "our son drinks water nonstop, wets the bed again and looks thinner",
        "thirsty day and night, at the toilet every hour, dropped 6 kilos",
        "is my girl diabetic? soaked nappies and such a thirst",
        "our 6 year old drinks like a fish, wees at night again and her ribs show",
        "the little one empties glass after glass, and his trousers hang loose",
        "my 12 year old can't get enough water, wets the bed and is too thin. diet?",
    ],
)
def test_signs_of_new_type_1_need_a_doctor_today(text: str) -> None:
    assert urgent_care(text.lower()) == ("new_type_1", "", True)
    assert "A doctor must measure glucose today" in answer(text).text


@pytest.mark.parametrize(
    "text",
    [
        "I have diabetes, and my toe is black",
        "mum is diabetic and the sore on her foot smells",
        "blister on my heel that does not heal, type 2",
    ],
)
def test_a_wounded_foot_in_diabetes_needs_care_today(text: str) -> None:
    assert "call the diabetes foot clinic" in answer(text).text


@pytest.mark.parametrize(
    "text",
    [
        "I'm pregnant, fasting was 101, what can I eat?",
        "gestational diabetes and my readings are too high after lunch",
        "29 weeks pregnant, 171 an hour after lunch",
        "I'm pregnant and get lows at night",
    ],
)
def test_unusual_glucose_in_pregnancy_needs_the_maternity_team(text: str) -> None:
    found = answer(text)
    assert "call your maternity or diabetes care team today" in found.text
    assert "fast sugar" in found.text


@pytest.mark.parametrize(
    "text",
    [
        "what are the symptoms of type 1 diabetes?",
        "I'm thirsty after salty crisps, how many carbs are in 50 g?",
        "how many carbs are in a foot long sub?",
        "what will 150 g rice do? I have gestational diabetes",
        "pregnant with gestational diabetes, fasting 85, carbs in 40 g oats?",
        "GDM, target under 140 after 1 h: what will 50 g croissant do?",
        "gestational diabetes: fasting 88 and 128 after lunch, carbs in 40 g oats?",
    ],
)
def test_a_harmless_question_needs_no_care_today(text: str) -> None:
    assert urgent_care(text.lower()) is None
