"""Pictures are decoded in another process: it may die, hang or be busy, and nobody notices."""

import asyncio
import io
import json
import os
import signal
import socket
import struct
import threading
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import psutil
import pytest
from hostile_pictures import HOSTILE, encoded, fresh_noise
from photos import barcode_photo
from PIL import Image
from products import COLA

from postmeal.errors import PictureError
from postmeal.scans import dish_model
from postmeal_serve.runtime import picture_decoder
from postmeal_serve.runtime.pictures import PictureEvidence, Pictures
from postmeal_serve.wire.errors import Refusal

PHOTO = encoded(fresh_noise(400, 300), "JPEG")


def with_pictures(work: Callable[[Pictures], Coroutine[Any, Any, Any]], **options: Any) -> Any:
    async def run() -> Any:
        pictures = Pictures(**options)
        try:
            return await work(pictures)
        finally:
            pictures.close()

    return asyncio.run(run())


def read(data: bytes, **options: Any) -> PictureEvidence:
    return with_pictures(lambda pictures: pictures.read("a key", data, **options))


def test_a_barcode_is_read_in_another_process() -> None:
    async def work(pictures: Pictures) -> None:
        evidence = await pictures.read("a key", barcode_photo(COLA))
        assert [code.lstrip("0") for code in evidence.barcodes] == [COLA.lstrip("0")]
        assert evidence.jpeg == b""
        assert pictures.process is not None
        assert pictures.process.pid not in (None, os.getpid())

    with_pictures(work)


@pytest.mark.reliability
def test_the_dishes_are_there_if_the_model_is() -> None:
    evidence = read(PHOTO)
    if dish_model.find() is None:
        assert evidence.candidates is None
    else:
        assert evidence.candidates is not None
        assert sum(each.probability for each in evidence.candidates) <= 1.1
    assert read(PHOTO, dishes=False).candidates is None


def test_the_picture_is_encoded_again_without_its_metadata() -> None:
    """Row 263: no byte of the location is left, and the orientation is applied."""
    draw, _ = HOSTILE["jpeg with a place"]
    data = draw()
    assert b"Exif" in data
    jpeg = read(data, jpeg=True).jpeg
    image = Image.open(io.BytesIO(jpeg))
    assert image.format == "JPEG"
    assert not image.getexif()
    assert b"Exif" not in jpeg
    assert image.size == (48, 64)  # turned from 64 x 48


async def refused(pictures: Pictures, data: bytes) -> str | None:
    try:
        await pictures.read("a key", data, jpeg=True)
    except PictureError as error:
        return error.reason
    return None


@pytest.mark.reliability
def test_hostile_pictures_do_not_end_the_process() -> None:
    """S10: each has the answer of the library, in 2 s; the process remains the same."""

    async def work(pictures: Pictures) -> None:
        await pictures.read("a key", PHOTO)
        assert pictures.process is not None
        pid = pictures.process.pid
        for name, (draw, reason) in HOSTILE.items():
            assert await refused(pictures, draw()) == reason, name
        assert pictures.process.pid == pid

    with_pictures(work)


@pytest.mark.sampled
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGSTOP])
def test_a_process_that_dies_or_is_suspended_is_replaced_before_the_caller_notices(
    number: int,
) -> None:
    async def work(pictures: Pictures) -> None:
        await pictures.read("a key", PHOTO)
        assert pictures.process is not None
        before = pictures.process.pid
        assert before is not None
        os.kill(before, number)
        await asyncio.gather(*(pictures.read("a key", PHOTO) for _ in range(4)))
        assert pictures.process.pid != before

    with_pictures(work)


def test_several_workers_share_one_process() -> None:
    async def work(pictures: Pictures) -> None:
        await pictures.read("a key", PHOTO)
        assert pictures.process is not None
        others = [Pictures(pictures.process.address) for _ in range(3)]
        await asyncio.gather(*(each.read("a key", PHOTO) for each in others))
        assert all(each.process is None for each in others)
        for each in others:
            each.close()
        await pictures.read("a key", PHOTO)

    with_pictures(work)


def test_the_process_knows_no_secret_and_ends_with_the_service(monkeypatch) -> None:
    monkeypatch.setenv("POSTMEAL_KEY_PEPPER", "canary")

    async def work(pictures: Pictures) -> psutil.Process:
        await pictures.read("a key", PHOTO)
        assert pictures.process is not None
        process = psutil.Process(pictures.process.pid)
        assert not [name for name in process.environ() if name.startswith("POSTMEAL_")]
        assert process.num_threads() == 1  # A fork would leave the other threads behind.
        return process

    with_pictures(work).wait(timeout=5)


def test_a_full_line_is_503_with_retry_after() -> None:
    async def work(pictures: Pictures) -> list[Any]:
        return await asyncio.gather(
            *(pictures.read("a key", PHOTO) for _ in range(3)),
            *(pictures.read("another", PHOTO) for _ in range(3)),
            return_exceptions=True,
        )

    answers = with_pictures(work, line=4, share=2)
    refused = [each for each in answers if isinstance(each, Refusal)]
    assert [isinstance(each, Refusal) for each in answers] == [False, False, True] * 2
    assert {each.status for each in refused} == {503}
    assert {each.headers["Retry-After"] for each in refused} == {"5"}


def test_a_credential_waits_for_one_picture_of_another_and_not_for_all() -> None:
    finished: list[str] = []

    async def work(pictures: Pictures) -> None:
        async def send(credential: str) -> None:
            await pictures.read(credential, PHOTO)
            finished.append(credential)

        await asyncio.gather(*(send(each) for each in [*["many"] * 6, "a few", "a few"]))

    with_pictures(work)
    assert finished[:4] == ["many", "a few", "many", "a few"]


def run_in_child(monkeypatch: pytest.MonkeyPatch, work: Callable[[], None]) -> dict[str, Any]:
    """Return the reply of a child that does some work instead of decoding."""

    def reply(*_: object) -> bytes:
        work()
        return b"\0\0\0\2{}"

    monkeypatch.setattr(picture_decoder, "_reply", reply)
    content = picture_decoder._read_in_child({}, b"", None)
    return json.loads(content[4:])


def burn() -> None:
    while True:
        pass


def fill() -> None:
    assert len(bytearray(2 * picture_decoder.MEMORY_BYTES))


def open_file() -> None:
    assert Path("/etc/hostname").read_bytes() is not None


def connect() -> None:
    socket.socket()


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("work", "failure"),
    [
        (burn, ["ended", "busy"]),
        (fill, ["ended"]),
        (open_file, ["ended"]),
        (connect, ["ended"]),
        (lambda: os.kill(os.getpid(), signal.SIGKILL), ["ended"]),
        (lambda: time.sleep(60), ["busy"]),
        (lambda: None, [None]),
    ],
    ids=["hangs", "needs memory", "opens a file", "connects", "dies", "waits", "works"],
)
def test_a_child_is_limited(monkeypatch, work, failure) -> None:
    """S10: processor time, memory, files and connections.

    A child that waits too long for a processor is not the fault of the picture.
    """
    began = time.monotonic()
    assert run_in_child(monkeypatch, work).get("failure") in failure
    assert time.monotonic() - began < picture_decoder.WITHIN_S + 1.5


REPLIES = [
    b"", b"\0", b"\0\0\0\2[]", b"\0\0\0\2{}garbage"[:5], b"\xff\xff\xff\xff{}",
    b"\0\0\0\x10{\"barcodes\": [7]}", b"SSH-2.0 hello", b"\0" * 100,
    b"\0\0\0\x40" + b'{"candidates": [["x", 2.0]]}'.ljust(64),
    b"\0\0\0\x40" + b'{"reason": "anything"}'.ljust(64),
]  # fmt: skip


@pytest.mark.parametrize("reply", REPLIES, ids=lambda reply: repr(reply)[:24])
def test_a_reply_of_a_process_that_was_taken_over_is_checked(tmp_path, reply) -> None:
    """S9: it cannot name other barcodes than digits, or fail in a way that is not known."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(tmp_path / "s"))
    listener.listen()

    def answer() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                for _ in range(2):
                    (size,) = struct.unpack(">I", connection.recv(4, socket.MSG_WAITALL))
                    connection.recv(size, socket.MSG_WAITALL)
                connection.sendall(reply)

    threading.Thread(target=answer, daemon=True).start()
    kinds: tuple[type[Exception], ...] = (PictureError,) if reply else (Refusal,)
    with pytest.raises(kinds):
        with_pictures(lambda pictures: pictures.read("a key", b"x"), address=str(tmp_path / "s"))
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()
