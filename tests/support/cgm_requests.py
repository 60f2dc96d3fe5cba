"""Requests for a prediction from a CGM history, in each API version."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import pytest
from api_client import Api
from synthetic_wearer import Wearer


@dataclass(frozen=True)
class Way:
    """The field names of an API version, and a function that sends a request."""

    cgm: str
    eaten: str
    start: str
    ask: Callable[[Api, Any], Any]

    def of(self, api: Api, wearer: Wearer, start: datetime | None = None) -> dict[str, Any]:
        """Return a body with a history, for a meal on the next morning."""
        old = self.cgm == "cgmData"
        body = api.old_body() | wearer.old if old else api.body() | wearer.new
        return body | {self.start: (start or wearer.next_morning).isoformat()}

    def curve(self, api: Api, body: Any) -> list[float]:
        answer = self.ask(api, body)
        assert answer.status_code == 200, answer.text
        told = answer.json()
        if "cgp" in told:
            return [value for _, value in told["cgp"]]
        return [point["value"] for point in told["points"]]

    def plain(self, body: dict[str, Any]) -> dict[str, Any]:
        """Return the same body without the history."""
        return {name: each for name, each in body.items() if name not in (self.cgm, self.eaten)}


OLD = Way("cgmData", "consumedFoods", "startTime", lambda api, body: api.predict_old(body))
NEW = Way("cgm_data", "consumed_foods", "start_time", lambda api, body: api.predict(body))
both = pytest.mark.parametrize("way", [OLD, NEW], ids=["v1.1", "v1.2"])


def wearer_of(api: Api, **traits: Any) -> Wearer:
    return Wearer(api.service.catalog, api.service.predictor, **traits)
