"""Program that decodes pictures in a process separate from those that handle requests.

The process loads the decoders and the dish model once and then forks a child for each picture. A
child cannot open files, and can use at most `MEMORY_BYTES` of memory and `PROCESSOR_S` of CPU time.
If a picture crashes its child, the next picture is not affected.

A request consists of a frame with JSON and a frame with the picture. Each frame consists of a
four-byte length and the content. A reply consists of a frame with JSON and, if requested, the
re-encoded picture. `postmeal_serve.runtime.picture_process` starts the process with the listening
socket as its standard input.
"""

from __future__ import annotations

import io
import json
import os
import resource
import select
import signal
import socket
import struct
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from postmeal.errors import PictureError, PostmealError
from postmeal.scans.barcode import read_barcodes
from postmeal.scans.dish_model import find
from postmeal.scans.dishes import DishRecognizer
from postmeal.scans.picture import Picture

__all__ = ["MEMORY_BYTES", "PROCESSOR_S", "WITHIN_S", "main"]

PROCESSOR_S = 2
"""CPU time in seconds that a child may use to decode a picture and to recognize what it shows."""

WITHIN_S = 5.0
"""Seconds after which a child is killed even if it has used less CPU time."""

MEMORY_BYTES = 256 * 1024 * 1024
"""Memory in bytes that a child may allocate in addition to the memory that it shares with the
process."""

_MOST_REPLIED = 4 * 1024 * 1024
_MOST_CANDIDATES = 200
_QUALITY = 85
_NICENESS = 5
_CONNECTION_WITHIN_S = 5.0


def main() -> None:
    """Serve the socket on standard input until the parent process has ended."""
    for number in (signal.SIGINT, signal.SIGPIPE):
        signal.signal(number, signal.SIG_IGN)
    os.nice(_NICENESS)
    parent = os.getppid()
    listener = socket.socket(fileno=os.dup(0))
    listener.setblocking(True)
    _warm_up()
    recognizer: DishRecognizer | None = None
    while os.getppid() == parent:
        if not select.select([listener], [], [], 1.0)[0]:
            continue
        recognizer = recognizer or _recognizer()  # The dish model may have been added.
        connection, _ = listener.accept()
        with connection, suppress(OSError, ValueError):
            connection.settimeout(_CONNECTION_WITHIN_S)
            request = json.loads(_read_frame(connection))
            connection.sendall(_read_in_child(request, _read_frame(connection), recognizer))


def _recognizer() -> DishRecognizer | None:
    if find() is None:
        return None
    with suppress(PostmealError):
        recognizer = DishRecognizer()
        recognizer.candidates(_blank())  # Allocates the memory of the model before the first fork.
        return recognizer
    return None


def _warm_up() -> None:
    """Import all modules that a child needs, because a child cannot open files."""
    with suppress(ImportError, PostmealError):
        from PIL import Image

        for kind in ("JPEG", "PNG", "WEBP", "GIF"):
            file = io.BytesIO()
            Image.new("RGB", (8, 8)).save(file, kind)
            Picture.decode(file.getvalue())
        read_barcodes(_blank())


def _blank() -> Picture:
    import numpy as np

    return Picture(np.full((8, 8, 3), 255, np.uint8), "PNG")


def _read_in_child(
    request: dict[str, Any], data: bytes, recognizer: DishRecognizer | None
) -> bytes:
    """Return the reply of a child process, or the reason why there is none."""
    reading, writing = os.pipe()
    deadline_s = time.monotonic() + WITHIN_S
    child = os.fork()
    if not child:
        try:
            os.close(reading)
            _limit_resources()
            with os.fdopen(writing, "wb") as pipe:
                pipe.write(_reply(request, data, recognizer))
        finally:
            os._exit(0)
    os.close(writing)
    reply = _read_pipe(reading, deadline_s)
    os.close(reading)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    if reply:
        return reply
    failure = "ended" if time.monotonic() < deadline_s else "busy"
    return _frame(json.dumps({"failure": failure}).encode())


def _limit_resources() -> None:
    """Limit the memory, CPU time and files that this process can use."""
    statm = Path("/proc/self/statm")
    if statm.exists():
        shared = int(statm.read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (shared + MEMORY_BYTES,) * 2)
    for limit in (resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE, resource.RLIMIT_CORE):
        resource.setrlimit(limit, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR_S, PROCESSOR_S))


def _reply(request: dict[str, Any], data: bytes, recognizer: DishRecognizer | None) -> bytes:
    try:
        picture = Picture.decode(data, request["media_type"], field=request["field"])
        barcodes = read_barcodes(picture)
    except PictureError as error:
        problem = str(error).removeprefix(f"{request['field']} ")
        return _frame(json.dumps({"reason": error.reason, "problem": problem}).encode())
    except PostmealError:
        return _frame(json.dumps({"failure": "not installed"}).encode())
    found: dict[str, Any] = {"barcodes": barcodes, "candidates": None}
    if recognizer and request["dishes"]:
        named = recognizer.candidates(picture)[:_MOST_CANDIDATES]
        found["candidates"] = [(each.label, each.probability) for each in named]
    jpeg = _jpeg(picture) if request["jpeg"] else b""
    return _frame(json.dumps(found).encode()) + jpeg


def _jpeg(picture: Picture) -> bytes:
    """Return the pixels as a JPEG file without metadata."""
    from PIL import Image

    file = io.BytesIO()
    Image.fromarray(picture.pixels).save(file, "JPEG", quality=_QUALITY)
    return file.getvalue()


def _read_pipe(reading: int, deadline_s: float) -> bytes:
    """Read a pipe to its end; return nothing if it does not end in time."""
    content = bytearray()
    while (left_s := deadline_s - time.monotonic()) > 0 and len(content) <= _MOST_REPLIED:
        if not select.select([reading], [], [], left_s)[0]:
            break
        part = os.read(reading, 1 << 16)
        if not part:
            return bytes(content)
        content += part
    return b""


def _read_frame(connection: socket.socket) -> bytes:
    """Return the content of the next frame."""
    (size,) = struct.unpack(">I", _read_exactly(connection, 4))
    return _read_exactly(connection, size)


def _read_exactly(connection: socket.socket, size: int) -> bytes:
    content = bytearray()
    while len(content) < size:
        part = connection.recv(min(size - len(content), 1 << 20))
        if not part:
            raise ConnectionError("the connection was closed before the whole message was received")
        content += part
    return bytes(content)


def _frame(content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + content


if __name__ == "__main__":
    main()
