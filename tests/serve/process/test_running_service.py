"""The running service: health, documents, pages, a real server and its end."""

import asyncio
import json
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
from api_client import OLD_PREDICT, PREDICT, ROOT, ZONE, Api, Demo, assert_error, assert_refused

from postmeal.assets import asset
from postmeal_serve import shared_parts
from postmeal_serve.app import OPERATIONS
from postmeal_serve.command_line import main
from postmeal_serve.partners.tokens import SCOPES
from postmeal_serve.process.connection_limits import MAX_HEAD_BYTES


def test_a_live_and_ready_service_says_so(api):
    """Row 480."""
    assert api.client.get("/healthz").json() == {"status": "ok"}
    ready = api.client.get("/readyz")
    assert ready.status_code == 200
    parts = {"database": "ok", "catalogue": "ok", "model": "ok", "client_tokens": "on"}
    assert ready.json() == {"status": "ok", "parts": parts}


def assert_no_model(api: Api) -> None:
    ready = api.client.get("/readyz")
    assert ready.status_code == 503
    assert ready.json()["parts"]["model"] == "failing"
    assert ready.json()["parts"]["catalogue"] == "ok"
    assert str(api.settings.model_folder) not in ready.text
    assert api.client.get("/healthz").status_code == 200
    assert_refused(api.predict(api.body()), 503)
    assert api.predict(api.body()).json()["code"] == "service_unavailable"
    assert_refused(api.predict_old(api.old_body()), 503)
    assert api.get("/v1.2/foods?query=rice").status_code == 200


def test_a_missing_model_is_named_and_predictions_are_503(tmp_path):
    """Rows 294, 480."""
    with Api(tmp_path, model_folder=tmp_path / "none") as api:
        assert_no_model(api)


def test_an_altered_model_is_refused(tmp_path):
    """Rows 294, 473: one flipped byte of the weights."""
    shutil.copytree(asset("models"), tmp_path / "models")
    weights = tmp_path / "models" / "population" / "weights.json"
    content = bytearray(weights.read_bytes())
    content[len(content) // 2] ^= 1
    weights.write_bytes(content)
    with Api(tmp_path, model_folder=weights.parent) as api:
        assert_no_model(api)


@pytest.mark.reliability
def test_a_catalogue_that_is_being_laid_out_is_warming_and_answers(tmp_path, monkeypatch):
    """Row 480: the service is ready meanwhile; a failing part comes first."""
    warmed = threading.Event()
    monkeypatch.setattr(shared_parts, "warm", lambda catalog: warmed.wait(60))
    with Api(tmp_path) as api:
        assert api.client.get("/readyz").json()["parts"]["catalogue"] == "ok"
        api.service.warm()
        ready = api.client.get("/readyz")
        assert (ready.status_code, ready.json()["parts"]["catalogue"]) == (200, "warming")
        assert api.get("/v1.2/foods?query=rice").status_code == 200
        monkeypatch.setattr(api.service, "_missing", ["catalogue"])
        assert api.client.get("/readyz").json()["parts"]["catalogue"] == "failing"
        monkeypatch.setattr(api.service, "_missing", [])
        warmed.set()
        while api.service.is_warming:
            time.sleep(0.01)
        assert api.client.get("/readyz").json()["parts"]["catalogue"] == "ok"


def test_a_missing_catalogue_is_named(tmp_path):
    """Row 480."""
    with Api(tmp_path, food_table=tmp_path / "none.csv.xz") as api:
        assert api.client.get("/readyz").json()["parts"]["catalogue"] == "failing"
        assert_refused(api.get("/v1.2/foods?query=rice"), 503)


@pytest.mark.parametrize(
    ("path", "versions"),
    [
        ("/openapi.json", {"v1.1", "v1.2"}),
        ("/v1.2/openapi.json", {"v1.2"}),
        ("/v1.1/openapi.json", {"v1.1"}),
    ],
)
def test_the_documents_describe_every_operation(api, path, versions):
    """Row 478: parameters, bounds, statuses and scopes."""
    document = api.client.get(path).json()
    assert document["openapi"].startswith("3.1")
    described = {
        (method.upper(), where)
        for where, verbs in document["paths"].items()
        for method in verbs
    }  # fmt: skip
    declared = {
        (method, each.path)
        for each in OPERATIONS
        if each.version.name in versions
        for method in (each.method,)
    }
    assert described == declared
    for verbs in document["paths"].values():
        for operation in verbs.values():
            (security,) = operation["security"]
            assert set(security["bearer"]) <= set(SCOPES)
            statuses = set(operation["responses"])
            assert {"400", "401", "403", "500", "503"} < statuses
            assert statuses & {"200", "201", "204"}
            assert operation["summary"]
    names = re.findall(r'"#/components/schemas/([^"]+)"', json.dumps(document))
    assert set(names) <= set(document["components"]["schemas"])


def test_the_examples_of_the_documents_are_answered(api):
    """Row 478."""
    for path, send in ((PREDICT, api.predict), (OLD_PREDICT, api.predict_old)):
        document = api.client.get("/openapi.json").json()
        body = document["paths"][path]["post"]["requestBody"]["content"]["application/json"]
        assert send(body["example"]).status_code == 200


def test_the_documents_state_the_bounds(api):
    """Row 478."""
    document = api.client.get("/v1.2/openapi.json").json()
    search = document["paths"]["/v1.2/foods"]["get"]
    parameters = {one["name"]: one for one in search["parameters"]}
    assert parameters["query"]["required"]
    assert parameters["query"]["schema"]["maxLength"] == 256
    assert parameters["type"]["schema"]["enum"] == ["generic", "branded", "recipe"]
    assert parameters["limit"]["schema"]["default"] == 10
    schemas = document["components"]["schemas"]
    assert schemas["PredictionRequest"]["properties"]["foods"]["maxItems"] == 100
    old = api.client.get("/v1.1/openapi.json").json()
    operation = old["paths"][OLD_PREDICT]["post"]
    assert operation["deprecated"]
    assert operation["parameters"][0]["name"] == "x-partner-timezone"
    assert len(old["components"]["schemas"]["UserProfile"]["required"]) == 6


@pytest.mark.parametrize("path", ["/", "/docs"])
def test_the_pages_load_nothing_from_elsewhere(api, path):
    """Row 478: every address in a page is one of this service."""
    page = api.client.get(path)
    assert page.status_code == 200
    assert page.headers["content-type"].startswith("text/html")
    assert "script-src 'self'" in page.headers["content-security-policy"]
    loaded = re.findall(r'(?:src|href)="([^"]+)"', page.text)
    assert all(address.startswith("/") or address == "data:," for address in loaded)
    for address in (each for each in loaded if each.startswith("/")):
        part = api.client.get(address)
        assert part.status_code == 200
        text = re.sub(r'"url":"https?://[^"]+"', "", part.text)  # pages of cited articles
        assert not re.findall(r"https?://(?!www\.w3\.org/)", text)


def test_why_a_part_is_missing_is_in_the_log_and_nowhere_else(tmp_path, caplog):
    """Row 480."""
    with Api(tmp_path, model_folder=tmp_path / "none") as api:
        assert (
            "the model (POSTMEAL_MODEL_FOLDER) cannot be used; requests that need it get 503"
            in caplog.text
        )
        assert "model 'none' cannot be read" in caplog.text
        assert "none" not in api.client.get("/readyz").text


def test_an_answer_that_fails_for_want_of_a_part_is_logged(tmp_path, caplog):
    """Row 14: the operation and the kind of error, nothing that was sent."""
    with Api(tmp_path) as api:
        with api.service.database.writing() as connection:
            connection.exec_driver_sql("DROP TABLE api_key")
        assert_refused(api.get("/v1.2/foods?query=secret"), 503)
    assert "request to /v1.2/foods failed: OperationalError" in caplog.text
    assert "secret" not in caplog.text


@pytest.mark.parametrize(
    "start", [b"", b"POST /v1.2/foods HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n"]
)
@pytest.mark.parametrize("line", [b"X-A: a\r\n", b"a"])
def test_headers_without_end_do_not_fill_the_memory(demo, start, line):
    """Headers, one header, and what follows a chunked body: a caller needs no key for any."""
    start = start + b"\r\n1\r\nx\r\n0\r\n" if start else b"GET /healthz HTTP/1.1\r\nHost: x\r\n"
    sent = line * (MAX_HEAD_BYTES // len(line))
    with socket.create_connection(("127.0.0.1", demo.port), 60) as raw:
        raw.sendall(start + b"X-B: ")
        with suppress(ConnectionError):
            for _ in range(100):
                raw.sendall(sent)
        assert_unreadable(raw, "at most 65536 bytes")
    assert demo.client.get("/healthz").status_code == 200


def assert_unreadable(raw: socket.socket, *names: str) -> None:
    """R22: what is no HTTP is refused as JSON with a request id, and nothing follows."""
    with raw.makefile("rb") as received:
        answers = received.read()
    head, _, body = answers[answers.rindex(b"HTTP/1.1 ") :].partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 Bad Request\r\n")
    assert re.search(rb"\r\nx-request-id: [0-9a-f]{32}(\r\n|$)", head)
    assert b"\r\ncache-control: no-store\r\n" in head
    assert_error(json.loads(body), 400, "/")
    for name in names:
        assert name in json.loads(body)["message"]


@pytest.mark.parametrize(
    "sent",
    [b"\x16\x03\x01\x02\x00", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n",
     b"CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n",
     b"POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
     b"GET / HTTP/1.1\r\nHost: x\r\nA B: c\r\n\r\n",
     b"POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"],
)  # fmt: skip
def test_what_is_no_http_is_refused_as_json(demo, sent):
    """R22."""
    with socket.create_connection(("127.0.0.1", demo.port), 60) as raw:
        raw.sendall(sent)
        assert_unreadable(raw, "Invalid HTTP")


def test_whole_requests_before_one_that_cannot_be_read_are_answered(demo):
    with socket.create_connection(("127.0.0.1", demo.port), 60) as raw:
        raw.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n" * 3 + b"\x00\r\n\r\n")
        with raw.makefile("rb") as received:
            answers = received.read()
    assert answers.count(b"HTTP/1.1 200") == 3
    assert answers.count(b"HTTP/1.1 ") == 3


def test_a_refused_upload_is_told_why_even_if_it_does_not_stop(demo):
    """Row 9: the answer is not lost in a reset."""
    head = f"POST {PREDICT} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {demo.keys['v1.2']}\r\n"
    with socket.create_connection(("127.0.0.1", demo.port), 60) as raw:
        raw.sendall(f"{head}Content-Length: 20000000\r\n\r\n".encode())
        for _ in range(200):
            raw.sendall(b" " * 100_000)
        with raw.makefile("rb") as received:
            assert received.readline().startswith(b"HTTP/1.1 413 ")


def test_a_head_just_small_enough_and_many_at_once_are_answered(demo):
    head = b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-A: %b\r\n\r\n" % (b"a" * (MAX_HEAD_BYTES - 100))
    with socket.create_connection(("127.0.0.1", demo.port), 60) as raw:
        for request, number in ((head, 5), (b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", 5000)):
            raw.sendall(request * number)
            answers = b""
            while answers.count(b'{"status":"ok"}') < number:
                answers += raw.recv(65536)
            assert answers.count(b"HTTP/1.1 200 OK") == number


def test_the_printed_curl_lines_work_when_pasted(demo):
    """Row 271 and 419, over a real connection: the demo's own lines, run by a shell."""
    if shutil.which("curl") is None:
        pytest.skip("no curl on this machine")
    lines = [line for line in demo.printed.splitlines() if line.startswith("curl")]
    new, old = (
        json.loads(subprocess.run(line, shell=True, check=True, capture_output=True).stdout)
        for line in lines
    )
    assert [[point["minutes"], point["value"]] for point in new["points"]] != []
    assert len(new["points"]) == len(old["cgp"]) == 9


def test_a_real_server_takes_chunks_and_refuses_what_is_too_large(demo):
    """Row 9: without Content-Length too, and the next request is answered."""
    key = demo.keys["v1.2"]
    headers = {"Authorization": f"Bearer {key}"}
    pieces = (b" " * 1000 for _ in range(10))
    assert demo.client.post(PREDICT, content=pieces, headers=headers).status_code == 400
    assert demo.client.get("/v1.2/foods?query=rice", headers=headers).status_code == 200
    with socket.create_connection(("127.0.0.1", demo.port), 60) as raw:
        head = f"POST {PREDICT} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\n"
        raw.sendall(f"{head}Content-Length: 5242881\r\n\r\n".encode())
        assert raw.recv(65536).startswith(b"HTTP/1.1 413")
    assert demo.client.get("/v1.2/foods?query=rice", headers=headers).status_code == 200
    assert demo.client.get(OLD_PREDICT, headers=headers | ZONE).status_code == 405


@pytest.mark.reliability
def test_the_demo_keys_survive_a_restart_and_are_stored_only_as_hashes(tmp_path):
    with Demo(tmp_path) as first:
        keys = first.keys
    with Demo(tmp_path) as second:
        assert second.keys == keys
        headers = {"Authorization": f"Bearer {keys['v1.2']}"}
        assert second.client.get("/v1.2/foods?query=rice", headers=headers).status_code == 200
    stored = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    assert not any(key.split("-", 2)[2].encode() in stored for key in keys.values())
    assert (tmp_path / "demo.secret").stat().st_mode & 0o777 == 0o600


@pytest.mark.reliability
def test_two_installations_have_different_demo_keys(demo, tmp_path):
    with Demo(tmp_path) as other:
        assert set(other.keys.values()).isdisjoint(demo.keys.values())


@pytest.mark.reliability
def test_a_demo_key_that_was_disabled_is_replaced_by_the_next_one(tmp_path):
    with Demo(tmp_path) as first:
        keys = first.keys
    admin = [sys.executable, "-m", "postmeal_serve", "admin", "key", "disable", "1"]
    subprocess.run(admin, env=first.environment, cwd=ROOT, check=True, capture_output=True)
    with Demo(tmp_path) as second:
        assert second.keys["v1.2"] != keys["v1.2"]
        assert second.keys["v1.1"] == keys["v1.1"]


@pytest.mark.reliability
def test_a_second_demo_on_the_same_port_ends_and_leaves_the_first_alone(demo):
    again = subprocess.run(
        [sys.executable, "-m", "postmeal_serve", "demo", "--port", str(demo.port)],
        env=demo.environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert again.returncode != 0
    assert "address already in use" in again.stderr
    headers = {"Authorization": f"Bearer {demo.keys['v1.2']}"}
    answer = demo.client.get("/v1.2/foods?query=rice", headers=headers)
    assert answer.status_code == 200


def test_a_setting_that_cannot_be_read_is_named(monkeypatch, capsys):
    monkeypatch.setenv("POSTMEAL_PORT", "http")
    assert main(["run"]) == 2
    told = capsys.readouterr().err
    assert told.startswith("error: POSTMEAL_PORT ")
    assert told.count("\n") == 1


@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize(
    ("name", "value", "named"),
    [
        (
            "CREDIT_COSTS",
            '{"porridge": 1}',
            "POSTMEAL_CREDIT_COSTS must contain only endpoint names",
        ),
        ("DATABASE", "mysql://localhost/postmeal", "must have the form sqlite"),
        ("STATE_DIR", __file__, "test_running_service.py"),
    ],
)
def test_a_setting_that_cannot_be_ends_the_service_before_it_listens(
    tmp_path, monkeypatch, capsys, workers, name, value, named
):
    settings = {"STATE_DIR": str(tmp_path), "PORT": "0", "WORKERS": workers, name: value}
    for each, text in settings.items():
        monkeypatch.setenv(f"POSTMEAL_{each}", text)
    assert main(["run"]) == 2
    told = capsys.readouterr().err
    assert named in told
    assert told.count("\n") == 1


def test_a_state_folder_that_cannot_be_made_ends_the_demo_before_it_listens(
    tmp_path, monkeypatch, capsys
):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("POSTMEAL_STATE_DIR", str(tmp_path / "file"))
    assert main(["demo", "--port", "0"]) == 2
    assert "file" in capsys.readouterr().err


@pytest.mark.reliability
def test_sigterm_lets_a_request_finish_and_exits_with_0(tmp_path):
    """Row 484."""
    with Demo(tmp_path) as demo:
        end_during_a_request(demo)


def end_during_a_request(demo: Demo) -> None:
    body = b"{}"
    with (
        socket.create_connection(("127.0.0.1", demo.port), 60) as raw,
        ThreadPoolExecutor() as pool,
    ):
        head = (
            f"POST {PREDICT} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {demo.keys['v1.2']}\r\n"
        )
        raw.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode())
        time.sleep(0.3)
        demo.process.send_signal(signal.SIGTERM)
        time.sleep(0.3)
        answer = pool.submit(raw.recv, 65536)
        raw.sendall(body)
        assert answer.result(timeout=60).startswith(b"HTTP/1.1 400")
    assert demo.process.wait(timeout=300) == 0
    assert "Traceback" not in demo.process.communicate()[1]


def test_a_request_that_outlasts_the_stop_is_told_so(tmp_path):
    """R22, row 484: what is cut off after 30 s is answered 503 in the shape of its version."""
    with Api(tmp_path) as api:
        sent: list[dict] = []

        async def endless(*_: object) -> None:
            await asyncio.sleep(3600)

        async def send(message: dict) -> None:
            sent.append(message)

        async def cut_off() -> None:
            scope = {"type": "http", "path": PREDICT, "method": "POST", "headers": []}
            call = api.app(scope | {"scheme": "http"}, endless, send)
            task = asyncio.create_task(call)
            await asyncio.sleep(0)
            task.cancel()
            await task

        api.app.shortcuts = {("POST", PREDICT): endless}
        asyncio.run(cut_off())
    assert sent[0]["status"] == 503
    assert_error(json.loads(sent[1]["body"]), 503, PREDICT)
