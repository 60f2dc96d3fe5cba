"""Progress display for terminals."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any


class ProgressBar:
    """Progress of a file or step on a terminal: a tqdm bar, or a percentage without tqdm."""

    def __init__(self, quiet: bool, unit: str = "B") -> None:
        self._unit = unit
        self._shown = not quiet and sys.stderr is not None and sys.stderr.isatty()
        self._bar: Any = None
        self._path: Path | None = None
        self._percent = -1

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.close()
        elif self._percent >= 0:
            print(file=sys.stderr)

    def show(self, path: Path, read: int, size: int) -> None:
        """Show how much of a file has been read or how much of a step is done."""
        if not self._shown:
            return
        if path != self._path:
            self.__exit__()
            self._path, self._percent, self._bar = path, -1, None
            try:
                from tqdm import tqdm
            except ModuleNotFoundError:
                pass
            else:
                self._bar = tqdm(desc=path.name, total=size, unit=self._unit, unit_scale=True)
        if self._bar is not None:
            self._bar.update(read - self._bar.n)
        elif (percent := 100 * read // max(size, 1)) > self._percent:
            self._percent = percent
            print(f"\r{path.name}: {percent}%", end="", file=sys.stderr, flush=True)
