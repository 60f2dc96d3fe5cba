"""A partner that keeps the event loop busy gets a share of its time while others are present."""

import pytest

from postmeal_serve.runtime.fair_share import LARGEST_SHARE, LONGEST_S, FairShare

BIG, SMALL = 1, 2
REQUEST_S = 0.001
"""CPU time of a request in this simulation."""


class Loop:
    """An event loop in simulated time, in which partners send requests as fast as they may."""

    def __init__(self) -> None:
        self.now_s = 100.0
        self.used_s = 0.0
        self.share = FairShare(lambda: self.now_s, lambda: self.used_s)
        self.served: list[tuple[float, int]] = []
        self.waits_s: list[tuple[int, float]] = []

    def run(self, seconds: float, *, connections: int, small_every_s: float | None) -> None:
        """Handle the requests of a big and a small partner in the order in which they are due."""
        end_s = self.now_s + seconds
        due = [(self.now_s, BIG)] * connections
        if small_every_s is not None:
            due.append((self.now_s, SMALL))
        while self.now_s < end_s:
            due.sort()
            arrives_s, partner = due.pop(0)
            self.now_s = max(self.now_s, arrives_s)
            wait_s = self.share.wait_s(partner)
            self.waits_s.append((partner, wait_s))
            self.now_s += REQUEST_S
            self.used_s += REQUEST_S
            self.served.append((self.now_s, partner))
            pause_s = (small_every_s or 0.0) if partner == SMALL else 0.0
            due.append((self.now_s + wait_s + pause_s, partner))

    def rate(self, partner: int, since_s: float) -> float:
        """Return the requests per second of a partner after the given time."""
        number = sum(who == partner and at > since_s for at, who in self.served)
        return number / (self.now_s - since_s)


@pytest.fixture
def loop() -> Loop:
    return Loop()


def test_a_partner_that_is_alone_is_never_delayed(loop):
    loop.run(3, connections=4, small_every_s=None)
    assert {wait_s for _, wait_s in loop.waits_s} == {0.0}


@pytest.mark.parametrize("connections", [4, 64])
def test_a_partner_that_keeps_the_loop_busy_gets_its_share_while_others_are_present(
    loop, connections
):
    loop.run(1, connections=connections, small_every_s=0.02)
    since_s = loop.now_s
    loop.run(5, connections=connections, small_every_s=0.02)
    assert loop.rate(BIG, since_s) * REQUEST_S == pytest.approx(LARGEST_SHARE, rel=0.1)
    assert loop.rate(SMALL, since_s) == pytest.approx(1 / 0.021, rel=0.1)


def test_the_other_partners_are_never_delayed(loop):
    loop.run(3, connections=4, small_every_s=0.02)
    assert {wait_s for partner, wait_s in loop.waits_s if partner == SMALL} == {0.0}
    assert any(wait_s for _, wait_s in loop.waits_s)


def test_the_delay_ends_soon_after_the_others_have_left(loop):
    loop.run(3, connections=4, small_every_s=0.02)
    loop.run(1.5, connections=4, small_every_s=None)
    since_s = loop.now_s
    loop.run(1, connections=4, small_every_s=None)
    assert loop.rate(BIG, since_s) * REQUEST_S == pytest.approx(1.0, rel=0.02)


def test_nobody_is_delayed_while_the_loop_is_not_busy(loop):
    for _ in range(1000):
        loop.now_s += 0.01
        assert loop.share.wait_s(BIG) == loop.share.wait_s(SMALL) == 0.0
        loop.used_s += 0.002


def test_no_request_waits_longer_than_the_longest_delay(loop):
    loop.run(3, connections=4, small_every_s=0.02)
    loop.now_s += 0.01
    assert max(loop.share.wait_s(BIG) for _ in range(5000)) == LONGEST_S


def test_two_partners_who_send_equally_much_are_not_delayed(loop):
    for _ in range(3000):
        loop.now_s += 0.002
        loop.used_s += 0.002
        assert loop.share.wait_s(BIG) == loop.share.wait_s(SMALL) == 0.0
