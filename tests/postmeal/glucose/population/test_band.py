"""The band: its form in a file."""

import json

import numpy as np

from postmeal.glucose.population.band import Band
from postmeal.glucose.population.states import STATES


def test_a_band_is_stored_by_state_and_side_and_read_back():
    below, above = np.arange(36.0).reshape(4, 9), 100 + np.arange(36.0).reshape(4, 9)
    stored = json.loads(json.dumps(Band(below, above).to_dict()))
    assert list(stored) == list(STATES)
    assert stored[STATES[0]] == {"below": list(range(9)), "above": list(range(100, 109))}
    read = Band.from_dict(stored)
    assert read.below_mg_dl.tolist() == below.tolist()
    assert read.above_mg_dl.tolist() == above.tolist()
