"""Both versions and the library, side by side, at length."""

import pytest
from version_parity import Parity

pytestmark = [pytest.mark.reliability, pytest.mark.timeout(900)]


def test_10_000_random_people_and_meals_are_answered_alike(api, monkeypatch):
    """R14: v1.1 = v1.2 = library after rounding; also of trained users and unknown hours."""
    # The calls come hundreds at a time, which a service would refuse in part.
    monkeypatch.setattr(api.service.overload, "observe", lambda late_s, requests: None)
    parity = Parity(api, seed=10_000)
    parity.check(10_000, histories=300, trained=300)
    seen = parity.seen
    assert seen["compared"] + seen["trained"] == 10_000
    assert min(seen["personal"], seen["trained"], seen["without hours"]) > 50
    print(f"\nR14: {dict(seen)}: 0 differences")
