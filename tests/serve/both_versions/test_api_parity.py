"""Both versions and the library, side by side."""

from version_parity import Parity


def test_both_versions_and_the_library_answer_alike(api):
    """Rows 291, 474 and 441: 200 random people and meals, some of them with unknown hours."""
    parity = Parity(api, seed=200)
    parity.check(200, histories=12, trained=12)
    assert parity.seen["compared"] + parity.seen["trained"] == 200
    assert parity.seen["without hours"]
    assert parity.seen["trained without hours"]
