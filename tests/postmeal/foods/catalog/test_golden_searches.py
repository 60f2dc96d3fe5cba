"""What search and typeahead find for 100 texts is pinned, right or wrong."""

from golden.searches import answers, read_searches


def test_the_answers_to_100_texts_are_those_recorded(catalog):
    """After a deliberate change: python tests/support/golden/searches.py, and read the diff."""
    recorded, found = read_searches(), answers(catalog)
    assert len(recorded) == 100
    changed = [(old, new) for old, new in zip(recorded, found, strict=True) if old != new]
    assert changed == []
