"""The process that decodes pictures; it starts with the first picture."""

from __future__ import annotations

import logging
import os
import select
import shutil
import socket
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread

__all__ = ["PictureProcess"]

_PROGRAM = ("-m", "postmeal_serve.runtime.picture_decoder")
_BACKLOG = 128
_RESTART_AFTER_S = 0.5
_PASSED = ("PATH", "HOME", "XDG_CACHE_HOME", "TMPDIR", "LANG", "PYTHONPATH", "VIRTUAL_ENV",
           "LD_LIBRARY_PATH")  # fmt: skip

_log = logging.getLogger(__name__)


class PictureProcess:
    """The process that runs `runtime.picture_decoder`, shared by all workers of a service.

    A thread waits for a connection and then starts the decoder. The listening socket belongs to the
    process that creates this object, so connections wait while the decoder is replaced. The decoder
    gets neither the settings of the service nor any of its open files.
    """

    def __init__(self) -> None:
        self._folder = tempfile.mkdtemp(prefix="postmeal-")
        self.address = str(Path(self._folder) / "pictures")
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(self.address)
        self._listener.listen(_BACKLOG)
        self._stopped, self._stopping = socket.socketpair()
        self._is_closed = Event()
        self._process: subprocess.Popen[bytes] | None = None
        Thread(target=self._supervise, name="picture-process", daemon=True).start()

    @property
    def pid(self) -> int | None:
        """Process ID of the decoder; None before the first picture."""
        return self._process.pid if self._process else None

    def close(self) -> None:
        """Stop the process and remove the socket."""
        self._is_closed.set()
        self._stopping.close()
        if self._process is not None:
            self._process.kill()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _supervise(self) -> None:
        with self._listener, self._stopped:
            waiting = select.poll()  # `select.select` supports only file descriptors below 1024.
            waiting.register(self._listener, select.POLLIN)
            waiting.register(self._stopped, select.POLLIN)
            while not self._is_closed.is_set():
                if self._stopped.fileno() in dict(waiting.poll()):
                    return
                self._process = process = _start(self._listener)
                if self._is_closed.is_set():  # `close` ran before the process was stored
                    process.kill()
                status = _exit_status(process)
                if not self._is_closed.wait(_RESTART_AFTER_S):
                    _log.error("the picture decoder exited with status %d; restarting it", status)


def _start(listener: socket.socket) -> subprocess.Popen[bytes]:
    environment = {name: os.environ[name] for name in _PASSED if name in os.environ}
    return subprocess.Popen(
        [sys.executable, *_PROGRAM],
        stdin=listener.fileno(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment,
    )


def _exit_status(process: subprocess.Popen[bytes]) -> int:
    """Wait for the end of a process, and return its exit status; kill it if it is suspended."""
    with suppress(ChildProcessError):  # `close` has already waited for it.
        _, status = os.waitpid(process.pid, os.WUNTRACED)
        if not os.WIFSTOPPED(status):
            process.returncode = os.waitstatus_to_exitcode(status)
    process.kill()
    return process.wait()
