"""Runs of ``postmeal-serve admin`` on a database in a folder."""

from pathlib import Path

import pytest

from postmeal_serve.command_line import main
from postmeal_serve.storage.database import Database


class Office:
    """Runs commands on a database in a folder, and returns their output."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._capsys = capsys

    def __call__(self, *words: str) -> str:
        assert main(["admin", *words]) == 0
        told = self._capsys.readouterr()
        assert told.err == ""
        return told.out

    def refused(self, *words: str) -> str:
        """Run a command that must fail, and return its one-line error message."""
        assert main(["admin", *words]) == 2
        told = self._capsys.readouterr()
        assert told.out == ""
        assert told.err.startswith("error: ")
        assert told.err.count("\n") == 1
        return told.err

    def misused(self, *words: str) -> str:
        """Run an invalid command line, and return the error message of the parser."""
        with pytest.raises(SystemExit) as exit_:
            main(["admin", *words])
        assert exit_.value.code == 2
        told = self._capsys.readouterr()
        assert "Traceback" not in told.err
        return told.err

    def key(self, partner: str, version: str = "v1.2") -> tuple[str, str]:
        """Create an API key, and return its ID and secret."""
        printed = self("key", "create", partner, "--version", version, "--name", "app")
        assert "it is shown only once" in printed
        return printed.split()[1], printed.split()[-1]

    def trail(self) -> list[str]:
        """Return the audit records without their times, oldest first."""
        lines = self("audit").splitlines()
        assert all(line[10] == "T" and line[19] == "Z" for line in lines)
        return [line.partition("  ")[2] for line in lines]

    def database(self) -> Database:
        return Database(f"sqlite:///{self.folder}/postmeal.sqlite")
