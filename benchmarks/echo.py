"""The bare peer: FastAPI that reads the body as JSON and sends it back, and does nothing else."""

from typing import Any

from fastapi import FastAPI

app = FastAPI()


@app.post("/echo")
async def echo(body: dict[str, Any]) -> dict[str, Any]:
    return body
