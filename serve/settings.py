"""Settings: the only place that reads the environment."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

from postmeal.assets import checkout

__all__ = ["Settings"]


class Settings(BaseSettings):
    """What differs from one installation to the next.

    Each is read from an environment variable: ``POSTMEAL_`` and the name in capitals, such as
    ``POSTMEAL_PORT``.

    Attributes
    ----------
    state_dir : Path
        Folder of what changes: the API keys. It is made where it is missing; ``var`` of the
        checkout, or of the folder one is in, unless it is set.
    host, port : str, int
        Where the service listens.
    workers : int
        Number of processes.
    require_https : bool
        Whether plain HTTP is refused; health checks are answered all the same.
    forwarded_allow_ips : str
        Addresses, separated by commas, of the proxies whose ``X-Forwarded-Proto`` is believed.
    key_pepper : SecretStr
        Secret that is hashed together with every API key; changing it disowns all keys.
    model : Path or None
        Folder of the model that predicts; the one that ships with postmeal when None.
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
    key_pepper: SecretStr = SecretStr("")
    model: Path | None = None
    foods: Path | None = None
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    metrics_port: int | None = Field(default=None, ge=1, le=65535)

    @property
    def keys_file(self) -> Path:
        """The SQLite file of API keys."""
        return self.state_dir / "keys.sqlite"
