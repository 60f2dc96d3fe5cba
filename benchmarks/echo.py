"""The bare peer: FastAPI that reads the body as JSON and sends it back, and does nothing else."""

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
