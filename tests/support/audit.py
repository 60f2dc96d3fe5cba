"""Look up known vulnerabilities of the packages in a lock file (``make audit``).

The exit status is 1 if a vulnerability is known, otherwise 0. If the database cannot be reached,
the status is 0 and a line that begins with ``not run here`` is printed.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

__all__ = ["main", "verdict"]


def main(arguments: list[str]) -> int:
    """Look up a lock file if a lookup of its first requirement succeeds."""
    lock = Path(arguments[0])
    first = re.search(r"^\S+==\S+", lock.read_text(encoding="utf-8"), re.MULTILINE)
    with tempfile.TemporaryDirectory() as folder:
        one = Path(folder) / "one.txt"
        one.write_text(first[0] if first else "", encoding="utf-8")
        found = _audited(one)
    status, lines = verdict(_audited(lock) if _is_answered(found) else found)
    print("\n".join(lines))
    return status


def verdict(found: list[dict[str, Any]]) -> tuple[int, list[str]]:
    """Return the exit status and the text to print for a result of pip-audit."""
    if not _is_answered(found):
        return 0, ["not run here: pip-audit (its database cannot be reached)"]
    holes = [(one, hole) for one in found for hole in one.get("vulns", ())]
    lines = [
        f"{one['name']} {one['version']}: {hole['id']}, fixed in "
        f"{', '.join(hole['fix_versions']) or 'no version yet'}"
        for one, hole in holes
    ]
    if unknown := [one["name"] for one in found if "vulns" not in one]:
        lines.append(f"not in the database: {', '.join(unknown)}")
    lines.append(f"{len(found)} packages, {len(holes)} known vulnerabilities")
    return int(bool(holes)), lines


def _audited(requirements: Path) -> list[dict[str, Any]]:
    command = ("pip_audit", "--progress-spinner", "off", "--format", "json")
    told = subprocess.run(
        [sys.executable, "-m", *command, "--disable-pip", "--no-deps", "-r", requirements],
        capture_output=True,
        text=True,
        timeout=900,
    )
    try:
        return list(json.loads(told.stdout)["dependencies"])
    except (ValueError, KeyError):
        return []


def _is_answered(found: list[dict[str, Any]]) -> bool:
    return any("vulns" in one for one in found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
