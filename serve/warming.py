"""Warming: what the first questions about a catalogue would wait for is made before they come."""

from __future__ import annotations

import logging

from postmeal.errors import CatalogError
from postmeal.foods.alternatives.pool import pool_of
from postmeal.foods.barcodes import possible_gtins
from postmeal.foods.catalog import Catalog
from postmeal.foods.language import read_meal

__all__ = ["warm"]

_log = logging.getLogger(__name__)


def warm(catalog: Catalog) -> None:
    """Lay the foods of a catalogue out for alternatives and for meals in plain English.

    It takes some seconds. A catalogue that cannot be read is told in the log; whoever asks is
    answered as ever.
    """
    possible_gtins("00000000")  # which loads the tables of GS1
    try:
        read_meal("an egg", catalog)
        pool_of(catalog)
    except CatalogError as error:
        _log.error("the catalogue cannot be laid out: %s", error)
    else:
        _log.info("the catalogue is laid out")
