import pytest

from postmeal.foods.foreign_names import in_english, read_sayings

LANGUAGES = ("de", "es", "fr", "hi", "it", "nl", "pl", "pt", "sv", "tr")


def test_each_language_has_at_least_150_foods():
    foods = [saying.language for saying in read_sayings() if saying.is_food]
    assert set(foods) == set(LANGUAGES)
    assert min(foods.count(language) for language in LANGUAGES) >= 150


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("łosoś", "salmon"), ("losos", "salmon"), ("mleko", "milk"), ("süt", "milk"),
        ("sinaasappelsap", "orange juice"), ("Rührei", "scrambled eggs"),
        ("Ruehrei", "scrambled eggs"), ("œufs brouillés", "scrambled eggs"),
        ("pommes de terre", "potatoes"), ("tavuk göğsü", "chicken breast"),
        ("pierś z kurczaka", "chicken breast"), ("halfvolle melk", "reduced fat milk"),
    ],
)  # fmt: skip
def test_a_common_food_is_found_by_its_name_in_another_language(catalog, text, english):
    found = catalog.search(text, limit=1)
    assert found[0] == catalog.search(english, limit=1)[0]
    assert found.matched_without == ()


def test_almost_every_translation_finds_a_food(catalog):
    meant = {saying.meant for saying in read_sayings() if saying.is_food}
    lacking = {name for name in meant if not catalog.search(name, limit=1)}
    assert len(lacking) <= 2, lacking


def test_a_translation_is_found_without_dropping_a_word(catalog):
    meant = sorted({saying.meant for saying in read_sayings() if saying.is_food})
    dropped = {name for name in meant if catalog.search(name, limit=1).matched_without}
    assert len(dropped) <= 0.02 * len(meant), dropped


def test_english_names_are_not_translated(catalog):
    for query in ("pan pizza", "latte", "salsa", "ham", "water", "couscous"):
        every_word = catalog.search(query, limit=1, every_word=True)
        assert catalog.search(query, limit=1)[:1] == every_word[:1], query


def test_a_text_with_a_word_of_no_language_is_not_translated():
    assert in_english("fraises zorblax", lambda word: False) == []
