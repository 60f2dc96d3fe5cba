"""Run the library's tests on any system and Python, without the service: ``make library``.

The tests run in a fresh environment under ``.library`` with the wheel of this checkout and the
extras that have packages for this Python. What is not tested there is printed as one line.
"""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXTRAS = "train,cluster,literature,photos,places"
TOOLS = ("pytest", "pytest-xdist", "pytest-timeout", "hypothesis", "hatchling", "editables", "xlwt")
ONLY_LINUX = ("cohorts", "registry", "model_store")
"""Tests of what needs file locks and folders that only Linux and macOS have."""


def main() -> int:
    """Install, test and return the exit status of the tests."""
    version = "{}.{}".format(*sys.version_info)
    folder = ROOT / ".library" / version
    venv.create(folder, with_pip=True, clear=True)
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, f"{ROOT}[{EXTRAS}]", *TOOLS], check=True)
    words = ["-m", "pytest", "-n", "auto", "-p", "no:acceptance_plugin", "tests/postmeal"]
    if os.name == "nt":
        print(f"not run here: tests of {', '.join(ONLY_LINUX)} (they need Linux or macOS)")
        words += ["-k", " and ".join(f"not {name}" for name in ONLY_LINUX)]
    return subprocess.run([python, *words], cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
