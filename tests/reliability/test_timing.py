"""How long it takes to find that a key is not known."""

from __future__ import annotations

import asyncio
import gc
import random
import secrets
import time
from datetime import UTC, datetime

import numpy as np
import pytest
from api_client import partner_of

from postmeal_serve.partners.credentials import Credentials
from postmeal_serve.runtime.clock import Clock
from postmeal_serve.settings import Settings
from postmeal_serve.storage.database import Database
from postmeal_serve.storage.schema import migrate

TIMINGS, SIGNIFICANT = 20_000, 4.5
SHARE_KEPT = 0.99

pytestmark = pytest.mark.reliability


@pytest.mark.timeout(400)
def test_a_key_that_is_almost_right_is_refused_as_quickly_as_any_other(database_url):
    """S3: known but for its last characters or wholly unknown, in turn: Welch's t below 4.5."""
    database, settings = Database(database_url), Settings()
    migrate(database)
    with database.writing() as connection:
        partner = partner_of(connection, datetime.now(UTC), settings, "timed", "unlimited")
    credentials = Credentials(database, Clock(), settings.plans)
    seconds = asyncio.run(timings(credentials, partner.keys["v1.2"]))
    database.close()
    kept = [np.sort(each)[: int(TIMINGS * SHARE_KEPT)] for each in seconds]
    t = welch(*kept)
    means = ", ".join(f"{each.mean() * 1e6:.1f} µs" for each in kept)
    print(f"\nS3 {database_url.split(':')[0]}: t = {t:.2f}; almost right and random: {means}")
    assert abs(t) < SIGNIFICANT


async def timings(credentials: Credentials, key: str) -> tuple[np.ndarray, np.ndarray]:
    """Seconds of each look-up; the two kinds alternate in an order that is drawn."""
    chance = random.Random(1)
    almost = [key[:-8] + secrets.token_hex(4) for _ in range(TIMINGS)]
    unknown = [f"sk-v1.2-{secrets.token_urlsafe(32)}" for _ in range(TIMINGS)]
    assert len(almost[0]) == len(unknown[0])
    seconds = np.zeros((2, TIMINGS))
    for warm in unknown[:500]:
        await credentials.look_up(warm)
    gc.collect()
    gc.disable()
    try:
        for turn, pair in enumerate(zip(almost, unknown, strict=True)):
            for kind in chance.sample((0, 1), 2):
                begun = time.perf_counter()
                state = await credentials.look_up(pair[kind])
                seconds[kind, turn] = time.perf_counter() - begun
                assert state == "unknown"
    finally:
        gc.enable()
    return seconds[0], seconds[1]


def welch(first: np.ndarray, second: np.ndarray) -> float:
    """Welch's t of two samples."""
    variance = first.var(ddof=1) / len(first) + second.var(ddof=1) / len(second)
    return float((first.mean() - second.mean()) / np.sqrt(variance))
