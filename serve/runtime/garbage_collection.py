"""Garbage collection: objects loaded at startup are excluded from collections."""

from __future__ import annotations

import gc

__all__ = ["freeze_loaded"]


def freeze_loaded() -> None:
    """Exclude the objects that exist now from garbage collection.

    The catalog, the model and their caches live as long as the process. If they are not excluded, a
    full collection visits all of them and pauses every thread for about 60 ms.
    """
    gc.collect()
    gc.freeze()
