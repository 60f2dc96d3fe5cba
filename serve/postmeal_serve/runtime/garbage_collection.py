"""Exclusion of long-lived objects from garbage collection."""

from __future__ import annotations

import gc

__all__ = ["freeze_loaded"]


def freeze_loaded() -> None:
    """Exclude all existing objects from garbage collection.

    The catalog, the model and their caches live as long as the process. If they are not excluded, a
    full collection traverses all of them and pauses every thread for about 60 ms.
    """
    gc.collect()
    gc.freeze()
