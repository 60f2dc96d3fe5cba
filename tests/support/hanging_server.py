"""``postmeal-serve run`` with two more paths; each stops the event loop of its worker for ever."""

import re
import sqlite3
import sys
import tempfile

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from postmeal_serve import app
from postmeal_serve.command_line import main


async def spin(request: Request) -> Response:
    """Backtrack in a pattern, which holds the global interpreter lock."""
    re.match("(a+)+$", "a" * 100 + "b")
    return Response()


async def wait(request: Request) -> Response:
    """Wait for a lock in SQLite, which releases the global interpreter lock."""
    with tempfile.NamedTemporaryFile() as file:
        for _ in range(2):
            connection = sqlite3.connect(file.name, timeout=3600, isolation_level=None)
            connection.execute("BEGIN EXCLUSIVE")
            KEPT.append(connection)
    return Response()


KEPT: list[sqlite3.Connection] = []

if __name__ == "__main__":
    app.PAGES = (*app.PAGES, Route("/spin", spin), Route("/wait", wait))
    sys.exit(main(["run"]))
