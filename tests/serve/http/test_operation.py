"""Operations: the documentation of each follows from its declaration."""

from asgi_client import Thing, make_operation
from starlette.responses import Response

from postmeal_serve.http.call import Call
from postmeal_serve.http.openapi import openapi_document
from postmeal_serve.http.operation import Operation
from postmeal_serve.v1_1.version import V1_1
from postmeal_serve.wire.parameters import Text


def test_an_operation_is_documented_as_it_is_declared():
    """Row 478: path, text, answers and errors."""
    operation = make_operation(
        scope="foods:read",
        status_code=201,
        body=Thing,
        example={"size": 1},
        parameters=(Text(name="name", about="A name."),),
        refusals=(404, 413),
        others={304: "As before."},
        headers={"X-Size": "How much."},
        links={"v1_2_other": {"id": "$response.body#/id"}},
    )
    document = openapi_document("v1.2", [operation])["paths"]
    assert list(document) == ["/v1.2/things"]
    told = document["/v1.2/things"]["post"]
    assert (told["operationId"], told["summary"]) == ("v1_2_work", "Do the work")
    assert told["description"] == "It takes a while."
    assert told["security"] == [{"bearer": ["foods:read"]}]
    assert [one["name"] for one in told["parameters"]] == ["name"]
    body = told["requestBody"]["content"]["application/json"]
    assert body == {"schema": {"$ref": "#/components/schemas/Thing"}, "example": {"size": 1}}
    answers = told["responses"]
    errors = ["400", "401", "403", "404", "413", "429", "500", "503"]
    assert sorted(answers) == sorted(["201", "304", *errors])
    assert answers["304"]["description"] == "As before."
    of = {status: one.get("content") for status, one in answers.items()}
    assert of["201"]["application/json"]["schema"] == {"$ref": "#/components/schemas/Thing"}
    size = {"description": "How much.", "schema": {"type": "string"}}
    assert answers["201"]["headers"]["X-Size"] == size
    assert {"RateLimit", "RateLimit-Policy"} < set(answers["201"]["headers"])
    assert answers["201"]["links"] == {
        "v1_2_other": {
            "operationId": "v1_2_other",
            "parameters": {"id": "$response.body#/id"},
        }
    }
    for status in errors:
        assert of[status]["application/json"]["schema"] == {"$ref": "#/components/schemas/Error"}
        assert ("Retry-After" in answers[status].get("headers", {})) == (status in ("429", "503"))


def test_an_operation_that_declares_little_is_documented_so():
    """Row 478: a success of 200 without a body, and the errors that all share."""

    async def end(call: Call) -> Response:
        """End it."""
        return Response()

    operation = Operation("DELETE", "/things", end, version=V1_1, response_model=None)
    told = openapi_document("v1.1", [operation])["paths"]["/v1.1/things"]["delete"]
    assert (told["operationId"], told["summary"]) == ("v1_1_end", "End it")
    assert told["security"] == [{"bearer": []}]
    assert told["deprecated"] is True
    assert not {"parameters", "requestBody"} & set(told)
    assert sorted(told["responses"]) == ["200", "400", "401", "403", "429", "500", "503"]
    assert not {"content", "links"} & set(told["responses"]["200"])
    assert set(told["responses"]["200"]["headers"]) == {"RateLimit", "RateLimit-Policy"}


def test_a_handler_without_a_docstring_is_accepted():
    async def quiet(call: Call) -> Response:
        return Response()

    assert make_operation(quiet).summary == ""
