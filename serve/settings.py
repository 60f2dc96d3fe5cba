"""Settings: the only place that reads the environment."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, SecretStr, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from postmeal.assets import checkout
from serve.partners.plans import PLANS, Plan

__all__ = ["Settings"]


class Settings(BaseSettings):
    """What differs from one installation to the next.

    Each is read from an environment variable: ``POSTMEAL_`` and the name in capitals, such as
    ``POSTMEAL_PORT``.

    Attributes
    ----------
    state_dir : Path
        Folder of what changes. It is made where it is missing; ``var`` of the checkout, or of the
        folder one is in, unless it is set.
    database : str or None
        ``sqlite:///`` and a path, or ``postgresql://…``; a file in `state_dir` when None.
    host, port : str, int
        Where the service listens.
    workers : int
        Number of processes.
    require_https : bool
        Whether plain HTTP is refused; health checks are answered all the same.
    forwarded_allow_ips : str
        Addresses, separated by commas, of the proxies whose ``X-Forwarded-Proto`` is believed.
    key_pepper : SecretStr
        Secret that is hashed together with every API key and client token; changing it disowns
        them all.
    client_tokens : bool
        Whether client tokens are configured here; minting and revoking answer 503 where not.
    token_purge_after_s : int
        Seconds for which an expired client token is told from one that never was.
    plans : dict of str to Plan
        The plans that partners may have, as JSON.
    credit_costs : dict of str to int
        Credits that a success of an endpoint of version 1.2 costs, by its name, as JSON:
        ``{"predict_glucose": 1}``.
    v1_1_per_minute : int or None
        Calls a minute of each key of version 1.1.
    address_per_minute : int or None
        Calls a minute of each IP address, over all processes of a machine.
    model : Path or None
        Folder of the model that predicts; the one that ships with postmeal when None.
    models : Path or None
        Folder of a model store, whose model in service predicts, and is followed when another is
        promoted; in place of `model`.
    foods : Path or None
        Table of the foods; the one that ships with postmeal when None.
    log_level : str
        The least level that is logged: with ``info`` every request, with ``warning`` none.
    metrics_port : int or None
        Port of 127.0.0.1 where ``/metrics`` is; no metrics are kept when None.

    Examples
    --------
    >>> Settings(port=8080, workers=2).port
    8080
    """

    model_config = SettingsConfigDict(env_prefix="POSTMEAL_", frozen=True)

    state_dir: Path = Field(default_factory=lambda: (checkout() or Path.cwd()) / "var")
    host: str = "127.0.0.1"
    port: int = Field(default=8000, ge=0, le=65535)
    workers: int = Field(default=1, ge=1)
    require_https: bool = True
    forwarded_allow_ips: str = "127.0.0.1"
    database: str | None = None
    key_pepper: SecretStr = SecretStr("")
    client_tokens: bool = False
    token_purge_after_s: int = Field(default=3600, ge=0)
    plans: dict[str, Plan] = Field(default_factory=lambda: dict(PLANS))
    credit_costs: dict[str, Annotated[int, Field(ge=0, le=1000)]] = {}
    v1_1_per_minute: int | None = Field(default=600, ge=1)
    address_per_minute: int | None = Field(default=60_000, ge=1)
    model: Path | None = None
    models: Path | None = None
    foods: Path | None = None
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    metrics_port: int | None = Field(default=None, ge=1, le=65535)

    @field_validator("models")
    @classmethod
    def _one_source_of_models(cls, models: Path | None, others: ValidationInfo) -> Path | None:
        if models is not None and others.data.get("model") is not None:
            raise ValueError("cannot be set together with model")
        return models

    @property
    def database_url(self) -> str:
        """The database's address."""
        return self.database or f"sqlite:///{self.state_dir.absolute() / 'postmeal.sqlite'}"

    @property
    def pepper(self) -> bytes:
        """What is hashed together with every credential."""
        return self.key_pepper.get_secret_value().encode()
