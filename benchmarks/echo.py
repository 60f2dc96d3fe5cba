"""FastAPI application that returns the request body, as a baseline for comparisons over HTTP."""

from typing import Any

from fastapi import FastAPI

app = FastAPI()

_PAGE = {"items": [{"id": number, "name": "food", "eaten": True} for number in range(20)]}


@app.post("/echo")
async def echo(body: dict[str, Any]) -> dict[str, Any]:
    return body


@app.get("/echo")
async def page() -> dict[str, Any]:
    return _PAGE
