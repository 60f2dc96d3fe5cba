"""Settings: the only place that reads the environment."""

from __future__ import annotations

import os
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    Field,
    SecretStr,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_settings import BaseSettings, SettingsConfigDict

from postmeal.assets import checkout
from serve.partners.plans import PLANS, Plan

__all__ = ["Settings"]

_RENAMED = {
    "POSTMEAL_MODEL": "POSTMEAL_MODEL_FOLDER",
    "POSTMEAL_MODELS": "POSTMEAL_MODEL_STORE",
    "POSTMEAL_FOODS": "POSTMEAL_FOOD_TABLE",
    "POSTMEAL_CATALOG": "POSTMEAL_CATALOG_FILE",
}
"""Former names of settings, which are refused: ignored, they would change what is served."""


def _address(text: str) -> str:
    """Take the address of an upstream, without the slash at its end."""
    parts = urlsplit(text)
    plain = parts.scheme in ("http", "https") and parts.hostname and "@" not in parts.netloc
    if not plain or parts.query or parts.fragment:
        raise ValueError("must be http:// or https://, a host and perhaps a path")
    return text.rstrip("/")


Address = Annotated[str, AfterValidator(_address)]


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
    database_within_s : float
        Deadline in seconds of each transaction of a call, its time in queues included: 503 once it
        has passed, and nothing is written. Limits on locks, statements and connections are
        derived from it. Migrations and the commands of an administrator are not limited.
    host, port : str, int
        Where the service listens.
    workers : int
        Number of processes.
    require_https : bool
        Whether plain HTTP is refused; health checks are answered all the same.
    forwarded_allow_ips : str
        Addresses and networks, separated by commas, of the proxies that are believed:
        ``X-Forwarded-Proto`` says whether a call came over HTTPS, and ``X-Forwarded-For`` from
        which address. Of several addresses the last counts that is not such a proxy, so a caller
        cannot choose its own. Nobody else is believed; with an empty value, nobody at all.
    key_pepper : SecretStr
        Secret that is hashed together with every API key and client token, and the key of the
        hashes that name people in the audit trail. Changing it disowns all keys and tokens, and
        receipts of before cannot be replayed over a backup any more.
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
        Calls a minute of each IP address, over all processes of a machine. The addresses of an
        IPv6 /64 count as one, here and in the next.
    address_failures_per_minute : int or None
        Failed authentications a minute of each IP address, over all processes of a machine. Beyond
        that, a credential that a process has not found before is answered 429 without a look-up,
        even if it is valid; None for no limit.
    end_user_per_minute : int or None
        Calls a minute of each endpoint by all client tokens of one end user, over all processes of
        a machine; a quarter of the partner's, rounded up, when None.
    model_folder : Path or None
        Folder of the model that predicts; the one that ships with postmeal when None.
    model_store : Path or None
        Folder of a model store, instead of `model_folder`. The promoted model of the store
        predicts; when another is promoted, the service follows.
    food_table : Path or None
        Table of the foods; the one that ships with postmeal when None.
    catalog_file : Path or None
        A catalog that `postmeal foods compile` wrote, instead of `food_table`. When another file
        is renamed to its name, the service follows.
    log_level : str
        The least level that is logged: with ``info`` every request, with ``warning`` none.
    metrics_port : int or None
        Port of 127.0.0.1 where ``/metrics`` is; no metrics are kept when None.
    live_barcodes : tuple of str
        Sources that are asked, in this order, for a barcode that the catalogue does not know, as
        JSON: ``["open_food_facts", "fooddata_central"]``. With none, the default, no barcode
        leaves the machine. What Open Food Facts tells is under the Open Database License.
    live_barcodes_within_s : float
        Seconds in which all of them together have to answer.
    live_barcodes_in_flight : int
        How many questions to them a process has under way at most.
    live_foods_days : int
        Days for which a product that was found is answered without asking again.
    open_food_facts_url, fooddata_central_url : str
        Where the sources are.
    fooddata_central_key : SecretStr or None
        Key of FoodData Central, which wants one.
    open_food_facts_per_minute, fooddata_central_per_hour : int
        How often they may be asked, by all processes of a machine together; by default as often
        as they allow anyone.
    contact : str
        E-mail address or page of whoever runs this, told to the sources as they ask for.
    meal_reader_url : str or None
        Where a language model is that reads meals in plain English: an OpenAI-compatible API, up to
        its ``/v1``. **What people write about their meals leaves the machine for it.** It only
        splits their text: foods, servings and nutrients stay those of the catalogue. The
        library's own reading alone is used when None, and whenever the model fails.
    meal_reader_key : SecretStr or None
        Its key, where it wants one.
    meal_reader_model : str
        Which of its models reads; required with `meal_reader_url`.
    meal_reader_within_s : float
        Seconds in which it has to answer.

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
    database_within_s: float = Field(default=10.0, ge=0.1, le=600)
    key_pepper: SecretStr = SecretStr("")
    client_tokens: bool = False
    token_purge_after_s: int = Field(default=3600, ge=0)
    plans: dict[str, Plan] = Field(default_factory=lambda: dict(PLANS))
    credit_costs: dict[str, Annotated[int, Field(ge=0, le=1000)]] = {}
    v1_1_per_minute: int | None = Field(default=600, ge=1)
    address_per_minute: int | None = Field(default=60_000, ge=1)
    address_failures_per_minute: int | None = Field(default=600, ge=1)
    end_user_per_minute: int | None = Field(default=None, ge=1)
    model_folder: Path | None = None
    model_store: Path | None = None
    food_table: Path | None = None
    catalog_file: Path | None = None
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    metrics_port: int | None = Field(default=None, ge=1, le=65535)
    fooddata_central_key: SecretStr | None = None
    live_barcodes: tuple[Literal["open_food_facts", "fooddata_central"], ...] = ()
    live_barcodes_within_s: float = Field(default=3.0, gt=0, le=30)
    live_barcodes_in_flight: int = Field(default=8, ge=1, le=1000)
    live_foods_days: int = Field(default=30, ge=1, le=3650)
    open_food_facts_url: Address = "https://world.openfoodfacts.org"
    fooddata_central_url: Address = "https://api.nal.usda.gov/fdc"
    open_food_facts_per_minute: int = Field(default=100, ge=1)
    fooddata_central_per_hour: int = Field(default=1000, ge=1)
    contact: str = Field(default="", max_length=100, pattern=r"^[!-'*-~]*$")
    meal_reader_model: str = ""
    meal_reader_url: Address | None = None
    meal_reader_key: SecretStr | None = None
    meal_reader_within_s: float = Field(default=8.0, gt=0, le=30)

    @field_validator("forwarded_allow_ips")
    @classmethod
    def _proxies_are_named(cls, proxies: str) -> str:
        for proxy in filter(None, map(str.strip, proxies.split(","))):
            try:
                ip_network(proxy)
            except ValueError:
                message = f"must be IP addresses and networks, separated by commas, not {proxy!r}"
                raise ValueError(message) from None
        return proxies

    @model_validator(mode="before")
    @classmethod
    def _no_former_names(cls, values: Any) -> Any:
        for former, name in _RENAMED.items():
            if former in os.environ:
                raise ValueError(f"{former} is no longer a setting; use {name}")
        return values

    @field_validator("model_store")
    @classmethod
    def _one_source_of_models(cls, store: Path | None, others: ValidationInfo) -> Path | None:
        if store is not None and others.data.get("model_folder") is not None:
            raise ValueError("cannot be set together with model_folder")
        return store

    @field_validator("live_barcodes")
    @classmethod
    def _sources_can_be_asked(
        cls, sources: tuple[str, ...], others: ValidationInfo
    ) -> tuple[str, ...]:
        if len({*sources}) < len(sources):
            raise ValueError("must name each source once")
        if "fooddata_central" in sources and others.data.get("fooddata_central_key") is None:
            raise ValueError("fooddata_central is asked with a key: set fooddata_central_key")
        return sources

    @field_validator("meal_reader_url")
    @classmethod
    def _reader_has_a_model(cls, url: str | None, others: ValidationInfo) -> str | None:
        if url is not None and not others.data.get("meal_reader_model"):
            raise ValueError("a model reads there: set meal_reader_model")
        return url

    @field_validator("catalog_file")
    @classmethod
    def _one_source_of_foods(cls, file: Path | None, others: ValidationInfo) -> Path | None:
        if file is not None and others.data.get("food_table") is not None:
            raise ValueError("cannot be set together with food_table")
        return file

    @property
    def database_url(self) -> str:
        """The database's address."""
        return self.database or f"sqlite:///{self.state_dir.absolute() / 'postmeal.sqlite'}"

    @property
    def pepper(self) -> bytes:
        """What is hashed together with every credential."""
        return self.key_pepper.get_secret_value().encode()
