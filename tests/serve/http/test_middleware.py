"""What holds for every request of both versions."""

import json

import pytest
from api_client import OLD_PREDICT, PREDICT, ZONE, Api, assert_refused, changed
from stopwatch import Stopwatch

from postmeal_serve.http.admission import Admission
from postmeal_serve.partners.tokens import SCOPES
from postmeal_serve.wire.request_body import MAX_CONTAINERS
from postmeal_serve.wire.upload_limits import LARGEST_BODY

BOTH = [PREDICT, OLD_PREDICT]
JSON = {"Content-Type": "application/json"}


def sent(api: Api, path: str, content: object, **headers: str):
    return api.post(path, content=content, headers=ZONE | JSON | headers)


def valid(api: Api, path: str) -> dict:
    return api.body() if path == PREDICT else api.old_body()


@pytest.mark.parametrize("path", ["/v1.2/x", "/v1.1/x", "/x", "/v1.2", "/v1.1/cgm", PREDICT + "/"])
def test_an_unknown_path_is_404_in_the_shape_of_its_version(api, path):
    """Rows 1, 5, 6, 296."""
    answer = api.get(path)
    assert_refused(answer, 404)
    if not path.startswith("/v1.1"):
        assert answer.json()["code"] == "not_found"


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [("GET", PREDICT, "POST"), ("GET", OLD_PREDICT, "POST"), ("DELETE", "/v1.2/foods", "GET")],
)
def test_a_wrong_method_is_405_and_says_which_is_right(api, method, path, allowed):
    """Rows 6, 300."""
    answer = api.client.request(method, path)
    assert_refused(answer, 405)
    assert answer.headers["allow"] == allowed


@pytest.mark.parametrize("path", BOTH)
@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", '"x"', "null", "1", '{"a":1}x', "{'a':1}", b"\xff\xfe{}", b"\xef\xbb\xbf{}"],
)
def test_what_is_no_json_object_is_400(api, path, content):
    """Rows 4, 7, 306."""
    answer = sent(api, path, content)
    assert_refused(answer, 400, "body")
    if path == PREDICT:
        assert answer.json()["code"] == "invalid_request"


@pytest.mark.parametrize("media_type", ["text/plain", "application/x-www-form-urlencoded", "x", ""])
def test_v1_2_wants_json_or_no_content_type(api, media_type):
    """Row 8."""
    content = json.dumps(api.body())
    answer = sent(api, PREDICT, content, **{"Content-Type": media_type})
    assert_refused(answer, 415, f"Content-Type must be application/json, got '{media_type}'")
    assert answer.json()["code"] == "unsupported_media_type"
    assert api.post(PREDICT, content=content).status_code == 200
    for json_type in ("application/json; charset=utf-8", "application/problem+json"):
        answer = sent(api, PREDICT, content, **{"Content-Type": json_type})
        assert answer.status_code == 200


@pytest.mark.parametrize("media_type", ["text/plain", "application/jsonx"])
def test_v1_1_requires_the_content_type(api, media_type):
    """Row 304."""
    content = json.dumps(api.old_body())
    answer = sent(api, OLD_PREDICT, content, **{"Content-Type": media_type})
    assert_refused(answer, 400, f"Content-Type must be application/json, got '{media_type}'")
    required = "Content-Type is a required header; it must be application/json"
    assert_refused(api.post(OLD_PREDICT, content=content, headers=ZONE), 400, required)
    empty = sent(api, OLD_PREDICT, content, **{"Content-Type": ""})
    assert_refused(empty, 400, required)
    answer = sent(api, OLD_PREDICT, content, **{"Content-Type": "Application/JSON; charset=utf-8"})
    assert answer.status_code == 200


@pytest.mark.parametrize("path", BOTH)
@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_may_hold_5_mib_and_no_byte_more(api, path, chunked):
    """Rows 9, 303."""
    content = json.dumps(valid(api, path)).encode()
    largest = content + b" " * (LARGEST_BODY - len(content))

    def body(whole: bytes):
        pieces = (whole[start : start + 2**20] for start in range(0, len(whole), 2**20))
        return pieces if chunked else whole

    assert len(largest) == 5_242_880
    assert sent(api, path, body(largest)).status_code == 200
    assert_refused(sent(api, path, body(largest + b" ")), 413, "5242880")
    assert_refused(sent(api, path, body(b"[" * (LARGEST_BODY + 1))), 413)


@pytest.mark.parametrize("path", BOTH)
@pytest.mark.parametrize(
    "number", ['"45"', "true", "NaN", "Infinity", "-Infinity", "1e999", "9" * 5000]
)
def test_numbers_are_not_coerced(api, path, number):
    """Row 10."""
    profile = "user_profile" if path == PREDICT else "userProfile"
    content = json.dumps(changed(valid(api, path), f"{profile}.age", "AGE"))
    assert_refused(sent(api, path, content.replace('"AGE"', number)), 400)


def test_a_number_that_json_does_not_know_is_refused_even_where_it_would_be_ignored(api):
    """Row 10."""
    content = json.dumps(api.body() | {"unknown": "NaN here is text"})
    assert sent(api, PREDICT, content).status_code == 200
    assert_refused(sent(api, PREDICT, content.replace('"NaN here is text"', "NaN")), 400, "NaN")


@pytest.mark.parametrize("path", BOTH)
@pytest.mark.parametrize("text", ["\\u0000", "\\ud800", "x" * 1_000_000, "\\udc00\\ud800"])
def test_odd_text_is_never_an_error_of_ours(api, path, text):
    """Row 11."""
    field = "user_profile.sex" if path == PREDICT else "userProfile.gender"
    time_field = "start_time" if path == PREDICT else "startTime"
    for one in (field, time_field):
        content = json.dumps(changed(valid(api, path), one, "TEXT")).replace("TEXT", text)
        assert_refused(sent(api, path, content), 400)
    content = json.dumps(valid(api, path) | {"unknown": "TEXT"}).replace("TEXT", text)
    assert sent(api, path, content).status_code in (200, 400)


@pytest.mark.parametrize(
    "query", ["%00", "a%00b", "%ED%A0%80", "%FF", "%F0%9F%8D%8C", "a" * 60_000]
)
def test_odd_query_text_is_never_an_error_of_ours(api, query):
    """Row 11."""
    assert api.get(f"/v1.2/foods?query={query}").status_code in (200, 400)


@pytest.mark.parametrize("text", ["%FF", "%ED%A0%80", "rice%E9"])
def test_what_is_not_utf_8_is_refused_by_name(api, text):
    """Rows 3, 11, 12: but not where it would be ignored."""
    for name in ("query", "type", "limit"):
        query = {"query": "rice", name: ""}
        asked = "&".join(f"{key}={value or text}" for key, value in query.items())
        assert_refused(
            api.get(f"/v1.2/foods?{asked}"), 400, f"{name} must be percent-encoded UTF-8"
        )
    assert api.get(f"/v1.2/foods?query=rice&colour={text}").status_code == 200


@pytest.mark.parametrize("path", BOTH)
def test_unknown_fields_and_parameters_are_ignored(api, path):
    """Rows 12, 310: but in version 1.2 near misses of known names (D63; test_api_near_misses)."""
    body = valid(api, path)
    plain = sent(api, path, json.dumps(body))
    more = sent(
        api, path + "?colour=red&colour=blue", json.dumps(body | {"user_id": 7, "plan": "x"})
    )
    assert more.status_code == 200
    assert more.json() == plain.json()


@pytest.mark.parametrize("query", ["query=rice&query=oats", "query=rice&limit=1&limit=1"])
def test_a_parameter_sent_twice_is_refused(api, query):
    """Row 13: keys of a body, too, in version 1.2 (X13; test_api_repeated_keys)."""
    repeated = query.rpartition("&")[2].partition("=")[0]
    assert_refused(api.get(f"/v1.2/foods?{query}"), 400, repeated)


@pytest.mark.parametrize("path", BOTH)
def test_a_surprise_is_a_plain_500(tmp_path, path, caplog):
    """Rows 14, 296: no traceback, no secret, and in the log no text of the request."""
    text = "SELECT secret FROM patients WHERE meal = 'banana'"
    with Api(tmp_path) as api:

        def fail(*_: object) -> None:
            raise RuntimeError(text)

        api.service.catalog.food = fail
        answer = sent(api, path, json.dumps(valid(api, path)))
    message = assert_refused(answer, 500)
    assert "SELECT" not in message
    assert "Traceback" not in answer.text
    assert answer.headers["x-request-id"] in caplog.text
    assert "banana" not in caplog.text


def test_checks_come_in_one_order(api):
    """Rows 16, 48: route, 401, 403, 413, 415, 400, 404."""
    huge, text = b"[" * (LARGEST_BODY + 1), {"Content-Type": "text/plain"}
    nobody = {"Authorization": "Bearer sk-v1.2-x"}
    other = {"Authorization": f"Bearer {api.keys['v1.1']}"}
    assert_refused(api.post("/v1.2/nothing", content=huge, headers=nobody | text), 404)
    assert_refused(api.get(PREDICT, headers=nobody), 405)
    assert_refused(api.post(PREDICT, content=huge, headers=nobody | text), 401)
    assert_refused(api.post(PREDICT, content=huge, headers=other | text), 403)
    assert_refused(api.post(PREDICT, content=huge, headers=text), 413)
    assert_refused(api.post(PREDICT, content="{", headers=text), 415)
    unknown_and_bad = changed(changed(api.body(), "foods.0.id", "999999999"), "foods.1.id", "x")
    assert_refused(api.predict(unknown_and_bad), 400)
    assert_refused(api.predict(changed(api.body(), "foods.0.id", "999999999")), 404)
    assert_refused(api.get("/v1.2/foods?limit=0", headers=nobody), 401)
    assert_refused(api.get("/v1.2/foods/x", headers=other), 403)


def test_every_operation_declares_version_and_scope(api):
    """Row 16: a route under a version that is no declared operation would skip admission."""
    key_only = {
        "mint_client_token", "revoke_client_tokens", "read_credits", "search_literature",
        "create_chat_completion",
    }  # fmt: skip
    for route in api.app.app.routes:
        if route.path.startswith("/v1.") and not route.path.endswith("/openapi.json"):
            assert isinstance(route.app, Admission)
            operation = route.app.operation
            assert route.path == operation.path
            if route.path.startswith("/v1.2/"):
                assert (operation.scope in SCOPES) != (operation.endpoint_name in key_only)


@pytest.mark.parametrize("path", [*BOTH, "/v1.2/foods?query=rice"])
def test_answers_are_json_with_safe_headers(api, path):
    """Row 17, and the header snapshot of the security table."""
    body = {} if "foods" in path else {"json": valid(api, path)}
    answer = api.client.request(
        "POST" if body else "GET", path, headers=api.headers(path) | ZONE, **body
    )
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    answer.content.decode("utf-8")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")
    assert "access-control-allow-origin" not in answer.headers


def test_production_speaks_https_alone(tmp_path):
    """Row 18."""
    with Api(tmp_path, require_https=True) as api:
        for path in ("/v1.2/foods?query=rice", "/v1.1/x", "/"):
            answer = api.get(path)
            assert_refused(answer, 403, "HTTPS")
        assert api.get("/healthz").status_code == 200
        answer = api.get("https://testserver/v1.2/foods?query=rice")
        assert answer.status_code == 200
        assert "max-age=31536000" in answer.headers["strict-transport-security"]


def test_every_answer_carries_a_request_id(api):
    """Row 19."""
    known = api.get("/v1.2/foods?query=rice", headers={"X-Request-Id": "abc-123"})
    assert known.headers["x-request-id"] == "abc-123"
    for bad in ("", "a b", "a;b", "x" * 129):
        ids = {api.get("/x", headers={"X-Request-Id": bad}).headers["x-request-id"] for _ in "ab"}
        assert len(ids) == 2
        assert bad not in ids


@pytest.mark.parametrize("path", BOTH)
@pytest.mark.parametrize(
    "content",
    ["[" * 100_000, '{"a":' * 100_000, "[" * LARGEST_BODY, '{"a":' + "[" * 70 + "]" * 70 + "}",
     '"' + '\\"' * 1_000_000 + "[" * 100, "[" * 2_600_000 + "]" * 2_600_000],
    ids=["arrays", "objects", "5 MiB", "70 levels", "quotes", "balanced"],
)  # fmt: skip
def test_deep_json_is_refused_at_once(api, path, content):
    """Row 7 and security table S5: 100,000 levels are refused in under 100 ms."""
    cpu_s = []
    for _ in range(3):  # the quickest of three: the first may load something
        with Stopwatch() as watch:
            answer = sent(api, path, content)
        cpu_s.append(watch.cpu_s)
        assert_refused(answer, 400)
    assert min(cpu_s) < (0.1 if len(content) < 1_000_000 else 1.0)


def test_depth_inside_text_does_not_count(api):
    """Row 12."""
    body = api.body() | {"unknown": "[{" * 1000 + '\\" [[['}
    assert api.predict(body).status_code == 200


@pytest.mark.parametrize("path", BOTH)
def test_a_body_of_more_parts_than_any_history_has_is_refused(api, path):
    body = valid(api, path)
    held = json.dumps(body).count("{") + json.dumps(body).count("[")
    for part in ([], {}):
        most = body | {"unknown": [part] * (MAX_CONTAINERS - held - 1), "text": "[]{}" * 50_000}
        assert sent(api, path, json.dumps(most)).status_code == 200
        answer = sent(api, path, json.dumps(most | {"more": part}))
        assert_refused(
            answer, 400, f"body must contain at most {MAX_CONTAINERS} arrays and objects"
        )


@pytest.mark.parametrize(
    ("path", "field", "word"),
    [
        (PREDICT, "user_profile.health_conditions", "none"),
        (OLD_PREDICT, "userProfile.healthConditions", "None of the above"),
        ("/v1.2/auth/client-tokens", "scopes", "foods:read"),
        ("/v1.1/user", "profile.healthConditions", "None of the above"),
    ],
)
def test_no_array_of_words_is_endless(api, path, field, word):
    profile = api.old_body()["userProfile"]
    others = {
        "/v1.2/auth/client-tokens": {"end_user_id": "Ada", "scopes": []},
        "/v1.1/user": {"profile": profile},
    }
    body = others.get(path) or valid(api, path)
    for words in ([word] * 1001, [0] * 1_500_000):  # each of which was told to be none
        answer = sent(api, path, json.dumps(changed(body, field, words)))
        assert_refused(answer, 400, f"{field} must contain at most 1000 of")
    assert sent(api, path, json.dumps(changed(body, field, [word] * 1000))).is_success


@pytest.mark.parametrize("path", ["/v1.1/x", OLD_PREDICT, "/v1.1/openapi.json"])
def test_every_v1_1_answer_says_that_it_is_deprecated(api, path):
    """Row 308."""
    for answer in (api.get(path), api.post(path), api.predict_old(api.old_body())):
        assert answer.headers["deprecation"].startswith("@")
        assert 'rel="successor-version"' in answer.headers["link"]
        assert "sunset" not in answer.headers
    assert "deprecation" not in api.get("/v1.2/foods?query=rice").headers


@pytest.mark.parametrize(
    ("accept", "status"),
    [
        ("text/html", 406),
        ("application/json;q=0", 406),
        ("application/json;q=0, */*", 406),
        ("image/*, text/plain", 406),
        ("*/*", 200),
        ("application/*;q=0.5", 200),
        ("text/html, application/json", 200),
        ("", 200),
    ],
)
def test_v1_1_refuses_a_caller_who_takes_no_json(api, accept, status):
    """Row 301."""
    answer = api.predict_old(api.old_body(), Accept=accept)
    assert answer.status_code == status
    if status == 406:
        assert_refused(answer, 406, "Accept")
    assert api.predict(api.body(), Accept=accept).status_code == 200


def test_v1_1_details_name_the_field_and_what_it_accepts(api):
    """Row 295."""
    answer = api.predict_old(changed(api.old_body(), "userProfile.gender", "Male"))
    assert answer.json()["error"]["details"] == {
        "field": "userProfile.gender",
        "allowed": ["male", "female"],
    }
    assert api.get("/v1.1/x").json()["error"]["details"] is None
