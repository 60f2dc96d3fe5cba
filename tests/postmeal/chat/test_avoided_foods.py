"""Foods that a person avoids are never suggested, wherever the conversation mentions them."""

from __future__ import annotations

import pytest
from conversations import answer

from postmeal.chat import ChatAnswer
from postmeal.chat.avoided_foods import avoided_foods
from postmeal.chat.patterns import has
from postmeal.foods.catalog import Catalog


def suggested(found: ChatAnswer, allergen: str) -> list[str]:
    """Return how free of an allergen each suggested food is."""
    catalog = Catalog.open()
    ids = [int(food["id"]) for each in found.computed[1:] for food in each.request["foods"]]
    return [str(catalog.food(food_id).diets[allergen]) for food_id in ids]


@pytest.mark.parametrize(
    ("system", "turns", "allergen"),
    [
        (None, ("shellfish allergy: alternative to 100 g chicken?",), "shellfish"),
        (None, ("I'm allergic to nuts.", "What can I have instead of 30 g almonds?"), "tree_nuts"),
        ("Allergies: peanuts, tree nuts", ("Alternatives to 50 g chips?",), "tree_nuts"),
        ("user is allergic to milk", ("alternatives to 200 g yogurt?",), "dairy"),
        (None, ("I can't eat gluten, alternatives to 100 g pasta",), "gluten"),
        (None, ("gluten makes me ill: alternatives to 100 g bread",), "gluten"),
        (None, ("dairy-free alternative to 200 g yogurt",), "dairy"),
        (None, ("soy free alternative to 200 ml milk",), "soy"),
        (None, ("nut free alternatives to 50 g chips",), "peanuts"),
        (None, ("I am coeliac.", "What can I eat instead of 100 g pasta?"), "gluten"),
        (None, ("I'm not allergic to milk but to gluten; instead of 100 g bread?",), "gluten"),
        (None, ("I'm allergic to glutin; alternatives to 100 g pasta?",), "gluten"),
        (None, ("I'm gluten free.", "What could I eat instead of 100 g pasta?"), "gluten"),
        (None, ("I'm vegan.", "Alternatives to 200 ml milk?"), "vegan"),
        (None, ("Nuts put me in hospital. What instead of 30 g potato chips?",), "tree_nuts"),
        (None, ("nuts could kill me. what's better than a cookie",), "tree_nuts"),
        (None, ("I'm celiak.", "What could I eat instead of white rice?"), "gluten"),
        (None, ("GF diet. What could I eat instead of white rice?",), "gluten"),
        ("nut_allergy: yes", ("What could I eat instead of potato chips?",), "tree_nuts"),
        (None, ("Low FODMAP diet. Alternative to wheat bread?",), "fodmaps"),
    ],
)
def test_no_alternative_contains_what_is_avoided(
    system: str | None, turns: tuple[str, ...], allergen: str
) -> None:
    found = answer(*turns, system=system)
    assert found.route == "computed"
    assert "can be unsafe for you" in found.text
    assert set(suggested(found, allergen)) <= {"free"}


def test_an_avoided_food_is_no_food_of_the_meal() -> None:
    found = answer("I can't eat gluten, alternatives to 100 g pasta")
    assert "Wheat gluten" not in found.text
    assert "100 g of Pasta" in found.text


def test_each_list_of_alternatives_has_the_caution() -> None:
    assert "can be unsafe for you" in answer("what can I eat instead of white rice?").text


@pytest.mark.parametrize("food", ["citrus fruit", "legumes", "rice"])
def test_an_allergy_that_the_diet_rules_do_not_cover_gets_no_suggestion(food: str) -> None:
    found = answer(f"I'm allergic to {food}. Alternatives to 100 g noodles?")
    assert found.route == "clarify"
    assert f"free of “{food.removesuffix('s')}”" in found.text
    assert not found.computed


def test_an_allergen_is_no_food_of_the_meal_although_another_food_has_its_name() -> None:
    found = answer("peanut allergy. is 30 g peanut butter ok?")
    assert "I read 30 g of Peanut butter, smooth style." in found.text


def test_an_allergy_to_an_unknown_food_is_asked_about() -> None:
    found = answer("I have food allergies. Alternatives to 100 g bread?")
    assert found.route == "clarify"
    assert not found.computed


@pytest.mark.parametrize(
    ("text", "restrictions"),
    [
        ("my son has a milk and egg allergy.", ("dairy", "eggs")),
        ("i'm lactose intolerant and allergic to fish", ("lactose", "fish")),
        (
            "allergic to cow's milk protein, egg whites and brazil nuts",
            ("tree_nuts", "peanuts", "dairy", "eggs"),
        ),
        ("no known allergies", ()),
        ("how many carbs are in milk?", ()),
    ],
)
def test_allergens_are_read(text: str, restrictions: tuple[str, ...]) -> None:
    assert avoided_foods([text]).restrictions == restrictions


@pytest.mark.parametrize(
    ("system", "turns", "diet"),
    [
        (None, ("I don't eat meat. Alternatives to 100 g breaded chicken?",), "pescatarian"),
        (None, ("no meat for my wife: what instead of 100 g breaded chicken?",), "pescatarian"),
        (None, ("We're meat-free.", "alternatives to chicken nuggets?"), "pescatarian"),
        (None, ("we don't do pork. what instead of a sausage roll?",), "halal"),
        ("Diet: no pork", ("what instead of a sausage roll?",), "halal"),
        (None, ("We can do fish, but no dairy for me. Instead of 200 ml milk?",), "dairy"),
        (None, ("I don't do dairy. What instead of 200 ml milk?",), "dairy"),
        (None, ("low-fodmap, alternatives to 100 g wheat bread?",), "fodmaps"),
    ],
)
def test_a_refused_group_of_foods_is_excluded_by_its_diet_rule(
    system: str | None, turns: tuple[str, ...], diet: str
) -> None:
    found = answer(*turns, system=system)
    assert found.route == "computed"
    assert suggested(found, diet)
    assert set(suggested(found, diet)) == {"free"}


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("I have PKU. What can I eat instead of 100 g bread?", "pku"),
        ("my son has galactosemia, alternatives to 200 ml milk?", "galactosemia"),
        ("I'm on warfarin. Alternatives to 100 g spinach?", "warfarin"),
        ("kidney diet: what instead of 150 g potatoes?", "kidney diet"),
        ("low histamine diet, alternatives to 100 g salami?", "histamine"),
        ("low-potassium please. What instead of a banana?", "low-potassium"),
    ],
)
def test_a_condition_that_no_diet_rule_covers_gets_no_suggestion(text: str, condition: str) -> None:
    found = answer(text)
    assert found.route == "clarify"
    assert f"which foods fit “{condition}”" in found.text
    assert not found.computed


@pytest.mark.parametrize("condition", ["type 2 diabetes", "no kidney disease", "anemia"])
def test_a_condition_that_restricts_no_foods_gets_suggestions(condition: str) -> None:
    assert answer(f"I have {condition}. What can I eat instead of white rice?").computed


def test_an_allergen_that_is_only_mentioned_counts_beside_a_meal_without_it() -> None:
    text = "nuts put me in hospital."
    assert avoided_foods([text]).restrictions == ()
    assert avoided_foods([text], meal={"cookie"}).restrictions == ("tree_nuts", "peanuts")
    assert avoided_foods([text], meal={"nut"}).restrictions == ()


@pytest.mark.parametrize(
    "text",
    [
        "My daughter can't have eggs.",
        "she can't have nuts",
        "My son cant eat gluten.",
        "I'm allergic to nuts.",
        "my wife is lactose intolerant",
    ],
)
def test_a_statement_of_what_is_avoided_is_noted_and_raises_no_alarm(text: str) -> None:
    found = answer(text)
    assert found.route == "clarify"
    assert "I will leave these foods out" in found.text


@pytest.mark.parametrize(
    "text",
    [
        "She can't have nuts, her lips are swelling",
        "I can't eat anything",
        "he can't drink water",
        "My daughter can't have eggs. Her sugar is 40.",
    ],
)
def test_a_statement_of_what_is_avoided_hides_no_danger(text: str) -> None:
    assert answer(text).route == "emergency"


def test_a_statement_of_what_is_avoided_changes_the_alternatives_before_it() -> None:
    found = answer("alternatives to 200 ml milk?", "she can't have nuts")
    assert set(suggested(found, "tree_nuts")) == {"free"}


@pytest.mark.parametrize(
    ("text", "restrictions"),
    [
        ("my baby has cmpa.", ("dairy",)),
        ("cow's milk protein allergy", ("dairy",)),
        ("hold the nuts", ("tree_nuts", "peanuts")),
        ("a salad sans nuts", ("tree_nuts", "peanuts")),
        ("100 g burger minus the cheese", ("dairy",)),
        ("skip the nuts", ("tree_nuts", "peanuts")),
        ("leave out the eggs", ("eggs",)),
        ("please leave the eggs out", ("eggs",)),
        ("nuts? never again", ("tree_nuts", "peanuts")),
        ("eggs are off limits", ("eggs",)),
        ("100 g rice minus 20 g", ()),
        ("never again", ()),
    ],
)
def test_other_words_for_a_refusal_are_read(text: str, restrictions: tuple[str, ...]) -> None:
    assert avoided_foods([text]).restrictions == restrictions


def test_a_food_that_is_left_out_is_no_food_of_the_meal() -> None:
    assert "Peanut" not in answer("what does 100 g rice do? leave out the peanuts").text
    assert "Peanut" not in answer("what will 100 g rice with 🥜🚫 do?").text


@pytest.mark.parametrize(
    ("text", "restrictions", "unknown"),
    [
        ("2024-01-02 reaction after almonds (hives)", ("tree_nuts",), ()),
        ("2024-01-02 30 g almonds: hives", ("tree_nuts",), ()),
        ("2024-01-01 200 ml milk 2024-01-02 reaction after almonds", ("tree_nuts",), ()),
        ("itchy rash after strawberries", (), ("strawberry",)),
        ("severe glucose reaction to 100 g bread", (), ()),
        ("do almonds cause a rash?", (), ()),
        ("swelling at the back of the eye from sugar", (), ()),
        ("my glucose reacted to almonds", (), ()),
    ],
)
def test_a_food_with_an_allergic_reaction_is_avoided(
    text: str, restrictions: tuple[str, ...], unknown: tuple[str, ...]
) -> None:
    found = avoided_foods([text])
    assert (found.restrictions, found.unknown) == (restrictions, unknown)


def test_a_reaction_in_a_diary_of_the_system_is_avoided() -> None:
    diary = "Food diary: 2024-01-02 reaction after almonds (hives)"
    found = answer("What can I eat instead of 30 g potato chips?", system=diary)
    assert set(suggested(found, "tree_nuts")) == {"free"}


@pytest.mark.parametrize("diet", ["lacto-ovo", "ovo-lacto", "lacto-vegetarian", "lactovegetarian"])
def test_kinds_of_vegetarians_are_vegetarians(diet: str) -> None:
    found = avoided_foods([f"i'm {diet}."], meal={"rice"})
    assert (found.diets, found.restrictions) == (("vegetarian",), ())


@pytest.mark.parametrize(
    "text", ["I'm on whole30", "I am Jain", "raw food diet", "raw vegan", "carnivore diet", "AIP"]
)
def test_a_diet_that_no_rule_covers_gets_no_suggestion(text: str) -> None:
    assert avoided_foods([text.lower()]).unchecked_diets


@pytest.mark.parametrize(
    "text",
    [
        "Soy alérgico a los frutos secos",
        "soy alergica a los huevos",
        "Je suis allergique aux noix",
        "Nussallergie",
        "Ich bin allergisch gegen Nüsse",
        "sono allergico alle noci",
        "sou alérgico a amendoim",
        "Laktoseintoleranz",
        "Zöliakie",
        "intolerante a la lactosa",
    ],
)
def test_an_allergy_in_another_language_is_asked_about(text: str) -> None:
    question = "What can I eat instead of 100 g white rice?"
    found = answer(question, system=f"Profile: {text}.")
    assert "Which foods must you avoid?" in found.text
    assert not found.computed
    assert answer("I'm allergic to nuts.", question, system=f"Profile: {text}.").computed


def test_an_english_allergy_is_not_taken_for_another_language() -> None:
    texts = ["alergic to nuts", "allergies: milk", "allergens", "lactose-intolerant", "coeliac"]
    assert not any(has("foreign_allergy", text) for text in texts)


@pytest.mark.parametrize(
    ("text", "restrictions"),
    [
        ("❌🥜", ("peanuts",)),
        ("🥜 ❌", ("peanuts",)),
        ("🚫 🥛 please", ("dairy",)),
        ("🧀❌ 🥚🚫", ("dairy", "eggs")),
        ("🚫🥜🥛 but 🥚", ("dairy", "peanuts")),
        ("❌ shrimp", ("shellfish",)),
        ("allergic to 🥚", ("eggs",)),
        ("🥜✅", ()),
    ],
)
def test_a_food_that_a_symbol_crosses_out_is_avoided(
    text: str, restrictions: tuple[str, ...]
) -> None:
    assert set(avoided_foods([text]).restrictions) == set(restrictions)


def test_a_dislike_of_the_user_in_a_system_message_raises_no_alarm() -> None:
    system = "The user can't stand mushrooms and lentils."
    assert answer("What can I eat instead of 100 g white rice?", system=system).computed
    assert answer("She can't stand up, her sugar is low").route == "emergency"
