"""The service as in production: ``postmeal-serve run`` in separate processes."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import httpx2
from api_client import CHECKED, ROOT, Partner, old_prediction_body, partner_of, prediction_body
from sqlalchemy import Connection

from postmeal.foods.catalog import Catalog
from postmeal_serve.settings import Settings
from postmeal_serve.storage.database import Database
from postmeal_serve.storage.schema import migrate

_UNLIMITED = {
    "require_https": False,
    "v1_1_per_minute": 10**9,
    "address_per_minute": 10**9,
    "address_failures_per_minute": 10**9,
}


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


shipped_catalog = cache(Catalog.open)


class RealServer:
    """A server with an API key for each version; its log is a file in its state folder."""

    program: tuple[str, ...] = ("-m", "postmeal_serve", "run")

    def __init__(self, folder: Path, **settings: Any) -> None:
        self.folder = folder
        self.port = free_port()
        self.workers = settings.get("workers", 1)
        self.address = f"http://127.0.0.1:{self.port}"
        given = {**_UNLIMITED, "state_dir": folder, "port": self.port, **settings}
        self.settings = Settings(state_dir=folder, database=settings.get("database"))
        self.environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]),
            **{f"POSTMEAL_{name.upper()}": str(value) for name, value in given.items()},
        }

    def __enter__(self) -> RealServer:
        database = Database(self.settings.database_url)
        migrate(database)
        database.close()
        self.keys = self.partner("test").keys
        catalog = shipped_catalog()
        self.body, self.old_body = prediction_body(catalog), old_prediction_body(catalog)
        self.client = httpx2.Client(base_url=self.address, event_hooks=CHECKED, timeout=60)
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.client.close()
        if self.process.poll() is None:
            self.stop()

    def start(self) -> None:
        """Start the server and wait until it is ready and all its workers run."""
        self.launch()
        self.wait_until_ready()
        self.wait_for_workers()

    def launch(self) -> None:
        """Start the server without waiting."""
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, *self.program],
                env=self.environment,
                cwd=ROOT,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def wait_until_ready(self) -> None:
        """Wait until all parts of the service are ready, which takes a few seconds."""
        for _ in range(6000):
            assert self.process.poll() is None, self.log()
            try:
                if self.client.get("/readyz").status_code == 200:
                    return
            except httpx2.TransportError:
                pass
            time.sleep(0.05)
        raise AssertionError(self.log())

    def wait_for_workers(self) -> None:
        """Wait until no worker is missing; the others start when the first has been ready."""
        while self.workers > 1 and "workers" in self.client.get("/healthz").json():
            time.sleep(0.05)

    def stop(self) -> int:
        """Stop the server with SIGTERM and return its exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=300)

    def kill(self) -> None:
        """Kill all processes of the server."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def worker_pids(self) -> list[int]:
        """Return the process IDs of the workers."""
        pid = self.process.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return [
            int(each)
            for each in children
            if "picture_decoder" not in Path(f"/proc/{each}/cmdline").read_text()
        ]

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Open a transaction that is independent of the server's transactions."""
        database = Database(self.settings.database_url)
        try:
            with database.writing() as connection:
                yield connection
        finally:
            database.close()

    def partner(self, name: str, plan: str = "unlimited", **agreement: Any) -> Partner:
        """Return a partner, created if it does not exist, with a new key for each version."""
        with self.writing() as connection:
            now = datetime.now(UTC)
            return partner_of(connection, now, self.settings, name, plan, **agreement)

    def headers(self, version: str = "v1.2") -> dict[str, str]:
        return {"Authorization": f"Bearer {self.keys[version]}"}

    def log(self) -> str:
        return (self.folder / "log").read_text()

    def lines(self, event: str = "request") -> list[dict[str, Any]]:
        """Return the log lines of an event."""
        lines = [json.loads(line) for line in self.log().splitlines()]
        return [line for line in lines if line["event"] == event]
