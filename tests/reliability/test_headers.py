"""Headers of every endpoint at every status, and nothing of our insides in any answer."""

import json
import random
import re

import pytest
from api_client import ZONE, Api

from postmeal_serve.app import OPERATIONS
from postmeal_serve.web import PAGES

pytestmark = pytest.mark.reliability

FOOD = "/v1.2/foods/2159"
LARGEST = 5 * 1024 * 1024
PLAIN = {
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "content-type": "application/json",
    "referrer-policy": "no-referrer",
    "vary": "accept-encoding",
    "x-content-type-options": "nosniff",
}
OLD = {
    "deprecation": "@1767225600",
    "link": '</v1.2/openapi.json>; rel="successor-version"',
}
PAGE = {
    "cache-control": "no-cache",
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
        " img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
}
SECURE = {"strict-transport-security": "max-age=31536000; includeSubDomains"}
OF_THE_CALL = {"x-request-id", "content-length", "content-encoding"}
OF_A_CREDENTIAL = {"x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"}
BY_STATUS = {401: {"www-authenticate"}, 403: {"www-authenticate"}, 405: {"allow"},
             413: {"connection"}, 429: {"retry-after"}}  # fmt: skip
INSIDES = re.compile(
    r"Traceback|File \"|\.py\b|line \d+, in|sqlalchemy|sqlite|psycopg|pydantic|starlette|uvicorn"
    r"|site-packages|/serve/|SELECT |INSERT |0x[0-9a-f]{8}|<class|object at 0x",
    re.IGNORECASE,
)


def snapshot(path: str, secure: bool) -> dict[str, str]:
    old = OLD if path.startswith("/v1.1/") else {}
    return PLAIN | old | (SECURE if secure else {})


def assert_snapshot(answer, path: str, **other: str) -> None:
    status = answer.status_code
    found = {name: value for name, value in answer.headers.items() if name not in OF_THE_CALL}
    for name in BY_STATUS.get(status, set()) | OF_A_CREDENTIAL:
        found.pop(name, None)
    wanted = snapshot(path, answer.request.url.scheme == "https") | other
    if path == FOOD and status == 200:
        wanted["cache-control"] = "private, no-cache"
        assert found.pop("etag")
    if status == 204 or answer.headers.get("content-length") == "0":
        del wanted["content-type"]
        found.pop("content-type", None)
    assert found == wanted, (path, status)


def everything(api: Api, method: str, path: str, base: str):
    """Answers of one endpoint to callers who are good, bad and strange."""
    known, url = api.headers(path), base + path
    json_type = {"Content-Type": "application/json"}
    other = "v1.1" if path.startswith("/v1.2") else "v1.2"
    for headers in (
        {},
        {"Authorization": "Bearer sk-v1.2-unknown"},
        {"Authorization": "Bearer ct-unknown"},
        {"Authorization": f"Bearer {api.keys[other]}"},
        known,
        known | {"Accept": "text/html"},
        known | {"Content-Type": "text/plain"},
        known | ZONE | json_type | {"x-user-id": "1"},
    ):
        for content in (b"", b"{", b"{}"):
            yield api.client.request(method, url, headers=headers, content=content)
    yield api.client.request(method, url, headers=known | json_type, content=b"[" * (LARGEST + 1))
    for strange in ("GET", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"):
        yield api.client.request(strange, url, headers=known)


@pytest.mark.parametrize("base", ["http://testserver", "https://testserver"])
def test_the_headers_of_every_endpoint_at_every_status(api, base):
    """S7."""
    seen = set()
    for operation in OPERATIONS:
        for method in (operation.method,):
            path = re.sub(r"{\w+}", "2159", operation.path)
            for answer in everything(api, method, path, base):
                assert_snapshot(answer, path)
                assert not INSIDES.search(answer.text)
                seen.add(answer.status_code)
    for path in ("/v1.1/none", "/v1.2/none", "/none", "/v1.1/openapi.json", "/openapi.json",
                 "/healthz", "/readyz"):  # fmt: skip
        answer = api.client.get(base + path)
        assert_snapshot(answer, path)
        seen.add(answer.status_code)
    for page in PAGES:
        answer = api.client.get(base + page.path)
        assert_snapshot(
            answer, page.path, **PAGE, **{"content-type": answer.headers["content-type"]}
        )
    assert seen >= {200, 400, 401, 403, 404, 405, 406, 413, 415}


@pytest.mark.parametrize("broken", ["catalogue", "database", "everything"])
def test_a_failure_of_ours_carries_no_detail(tmp_path, broken):
    """S7: 500 and 503 have the same headers, and words of their own."""
    with Api(tmp_path) as api:

        def fail(*_: object) -> None:
            raise RuntimeError("SELECT secret FROM /serve/x.py")

        bodies = {"v1.1": api.old_body(), "v1.2": api.body()}
        if broken == "catalogue":
            api.service.catalogs._active = None
        elif broken == "database":
            with api.service.database.writing() as connection:
                connection.exec_driver_sql("DROP TABLE api_key")
        else:
            api.service.check_database = fail
        seen = set()
        for operation in OPERATIONS:
            path = re.sub(r"{\w+}", "2159", operation.path)
            for method in (operation.method,):
                body = bodies[path[1:5]]
                answer = api.client.request(
                    method,
                    path,
                    headers=api.headers(path) | ZONE,
                    params={"query": "rice"},
                    json=body,
                )
                assert_snapshot(answer, path)
                assert not INSIDES.search(answer.text)
                seen.add(answer.status_code)
    wanted = {"catalogue": {503}, "database": {503}, "everything": {500}}[broken]
    assert wanted <= seen
    if broken != "catalogue":
        assert seen == wanted


def test_10_000_strange_requests_show_no_traceback(api):
    """S7: damaged bodies, paths, queries and headers, from a known caller."""
    chance = random.Random(7)
    bodies = [json.dumps(body).encode() for body in (api.body(), api.old_body())]
    odd = [b"\x00", b"\xff", b"null", b"-1", b"1e999", b'"', b"{", b"[]", b"\\ud800", b"NaN", b"%s",
           b"' OR 1=1--", b"${x}", b"../..", "١٢".encode(), b"9" * 400]  # fmt: skip
    methods = ["GET", "POST", "PUT", "DELETE", "PATCH"]
    for _ in range(10_000):
        operation = chance.choice(OPERATIONS)
        method = chance.choice([operation.method] * 4 + methods)
        part = "".join(f"%{byte:02X}" for byte in chance.choice(odd))
        path = re.sub(r"{\w+}", part, operation.path)
        content = bytearray(chance.choice(bodies))
        for _ in range(chance.randrange(4)):
            at = chance.randrange(len(content))
            content[at : at + chance.randrange(6)] = chance.choice(odd)
        name = chance.choice(["query", "limit", "offset", "date", "cursor", "start", "x"])
        text = chance.choice(odd).decode("latin-1").replace("\x00", " ")
        headers = {
            "Content-Type": chance.choice(["application/json"] * 4 + [text]),
            "x-partner-timezone": chance.choice(["America/New_York", "UTC", text]),
            "x-end-user-timezone": chance.choice(["America/New_York", "UTC", text]),
            "x-user-id": text,
            "Idempotency-Key": text,
        }
        answer = api.client.request(
            method,
            f"{path}?{name}={part}",
            headers=api.headers(path)
            | {key: value.encode("latin-1") for key, value in headers.items()},
            content=bytes(content),
        )
        assert answer.status_code < 500, (method, path, answer.text)
        if answer.status_code >= 400:
            assert not re.search(r"Traceback|File \"|\.py\b|line \d+, in", answer.text), answer.text
