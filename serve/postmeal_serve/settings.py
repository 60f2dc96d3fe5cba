"""Settings of the service; no other module reads them from the environment."""

from __future__ import annotations

import os
from difflib import get_close_matches
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
from postmeal_serve.partners.plans import CREDIT_COSTS, PLANS, Plan

__all__ = ["Settings"]

_RENAMED = {
    "POSTMEAL_MODEL": "POSTMEAL_MODEL_FOLDER",
    "POSTMEAL_MODELS": "POSTMEAL_MODEL_STORE",
    "POSTMEAL_FOODS": "POSTMEAL_FOOD_TABLE",
    "POSTMEAL_CATALOG": "POSTMEAL_CATALOG_FILE",
}
"""Current names of settings by their former names, which are rejected: ignoring them would silently
change the behavior of the service."""


def _base_url(text: str) -> str:
    """Check a base URL and strip its trailing slash."""
    parts = urlsplit(text)
    is_plain = parts.scheme in ("http", "https") and parts.hostname and "@" not in parts.netloc
    if not is_plain or parts.query or parts.fragment:
        raise ValueError(
            "must be a URL such as http://localhost:8080/v1, without a user name, query or fragment"
        )
    return text.rstrip("/")


BaseUrl = Annotated[str, AfterValidator(_base_url)]


def _refuse_repetitions(sources: tuple[str, ...]) -> None:
    if len({*sources}) < len(sources):
        raise ValueError("must not list the same source twice")


class Settings(BaseSettings):
    """Settings of one installation.

    Each setting is read from the environment variable ``POSTMEAL_`` plus its name in upper case,
    such as ``POSTMEAL_PORT``. Lists and mappings are written as JSON.

    Attributes
    ----------
    state_dir : Path
        Folder for the database and other files that the service writes; created if missing.
        Default: ``var`` in the source checkout or, outside a checkout, in the current directory.
    host : str
        Address that the service listens on. Default: ``127.0.0.1``.
    port : int
        TCP port that the service listens on; 0 picks a free port. Default: 8000.
    workers : int
        Number of worker processes, 1 to 256. Default: 1.
    require_https : bool
        Whether to refuse plain HTTP, except for health checks. Default: true.
    forwarded_allow_ips : str
        Comma-separated addresses and networks of trusted proxies; empty for none. The service reads
        ``X-Forwarded-Proto`` and ``X-Forwarded-For`` headers only from them. The client address is
        the last address in ``X-Forwarded-For`` that is not a trusted proxy. Default: ``127.0.0.1``.
    database : str or None
        Database URL: ``sqlite:///`` and a path, or ``postgresql://…``. Default: none, which means
        the SQLite file ``postmeal.sqlite`` in `state_dir`.
    database_within_s : float
        Deadline in seconds, from 0.1 to 600, for each database transaction of a request, including
        its time in the queue. A request whose transaction exceeds the deadline gets 503. Default:
        10. Migrations and admin commands have no deadline.
    key_pepper : SecretStr
        Secret that is hashed together with every API key and client token. It is also the hash key
        for end users' IDs in the audit trail. If it changes, all keys and tokens become invalid,
        and earlier erasure receipts can no longer be replayed. Default: empty.
    client_tokens : bool
        Whether client tokens can be minted and revoked; if false, these endpoints return 503.
        Default: false.
    token_purge_after_s : int
        Seconds for which an expired client token stays stored. During this time, requests with it
        get ``token_expired``, afterwards ``token_invalid``. Default: 3600.
    plans : dict of str to Plan
        Plans that partners can have, by name, as JSON; replaces all built-in plans. Default: the
        built-in plans (`postmeal_serve.partners.plans.PLANS`).
    credit_costs : dict of str to int
        Credits charged per successful request to a v1.2 endpoint, 0 to 1000, by endpoint name, as
        JSON: ``{"predict_glucose": 1}``. Endpoints that are not listed keep their default costs.
        Default: ``{"create_chat_completion": 1, "search_literature": 1}``; all other endpoints are
        free.
    v1_1_per_minute : int or None
        Maximum requests per minute with each v1.1 API key. Default: 600. None, which only Python
        code can set, means no limit.
    address_per_minute : int or None
        Maximum requests per minute from each IP address to all worker processes of a machine
        together. The addresses of an IPv6 /64 network count as one. Default: 60000. None, which
        only Python code can set, means no limit.
    address_failures_per_minute : int or None
        Maximum failed authentications per minute from each IP address, counted as in
        `address_per_minute`. Above this limit, the credentials are looked up in batches, and most
        unknown ones get 429. Default: 600. None, which only Python code can set, means no limit.
    end_user_per_minute : int or None
        Maximum requests per minute to each endpoint with all client tokens of one end user, to all
        worker processes of a machine together. Default: none, which means a quarter of the
        partner's limit, rounded up.
    model_folder : Path or None
        Folder of the prediction model. Default: none, which means the model shipped with postmeal.
        Cannot be combined with `model_store`.
    model_store : Path or None
        Folder of a model store whose promoted model is used; the service switches when a different
        model is promoted. Default: none, which means that `model_folder` is used.
    food_table : Path or None
        Table of foods to read at startup. Default: none, which means the table shipped with
        postmeal. Cannot be combined with `catalog_file`.
    catalog_file : Path or None
        Food catalog written by ``postmeal foods compile``; the service switches when the file is
        replaced. Default: none, which means that `food_table` is used.
    places : Path or None
        Places file written by ``postmeal places import``; the service switches when the file is
        replaced. Default: none, which means that made-up demonstration places are served.
    literature : Path or None
        Library folder written by ``postmeal literature build``; the service switches when a new
        index is put into use. Default: none, which means that the starter set is searched.
    transcript_days : int
        Days for which accepted chat conversations and literature queries are stored with their
        answers, but without the end user, at most 3650. With 0, nothing is stored. Default: 30.
    scan_days : int
        Days for which the foods in a user's v1.1 scans are stored as fingerprints, at most 3650.
        With 0, nothing is stored. Default: 30.
    log_level : str
        Minimum level that is logged: ``debug``, ``info``, ``warning`` or ``error``. Requests are
        logged at ``info``. Default: ``info``.
    metrics_port : int or None
        Port on 127.0.0.1 that serves Prometheus metrics at ``/metrics``. Default: none, which
        means that no metrics are collected.
    live_barcodes : tuple of str
        External sources queried, in this order, for barcodes missing from the catalog, as JSON:
        ``["open_food_facts", "fooddata_central"]``. Default: none, so no barcode leaves the
        machine. Data from Open Food Facts is under the Open Database License.
    live_barcodes_within_s : float
        Deadline in seconds for a lookup in all sources combined, at most 30. Default: 3.
    live_barcodes_in_flight : int
        Maximum number of concurrent requests to each source per worker process, 1 to 1000.
        Default: 8.
    live_foods_days : int
        Days after which a product from a source is fetched again, 1 to 3650. Default: 30.
    open_food_facts_url : str
        Base URL of Open Food Facts. Default: ``https://world.openfoodfacts.org``.
    open_food_facts_per_minute : int
        Maximum requests per minute to Open Food Facts by all worker processes. Default: 100, the
        limit that Open Food Facts sets for each client.
    fooddata_central_url : str
        Base URL of FoodData Central. Default: ``https://api.nal.usda.gov/fdc``.
    fooddata_central_key : SecretStr or None
        API key for FoodData Central; required if `live_barcodes` lists it. Default: none.
    fooddata_central_per_hour : int
        Maximum requests per hour to FoodData Central by all worker processes. Default: 1000, the
        limit that FoodData Central sets for each key.
    live_places_url : str or None
        Base URL, up to and including ``/api``, of an Overpass API of OpenStreetMap. The service
        requests restaurants from it in areas where the places file has none. **The cell of about
        5.6 km in which a user searches, and the cells around it, are sent to the API**; the
        position within the cell, the query and the user are not. Default: none, so no location
        leaves the machine. The data is under the Open Database License.
    live_places_within_s : float
        Seconds for which a request waits for the Overpass API, at most 30. Default: 3.
    live_places_days : int
        Days after which the restaurants of a cell are fetched again, 1 to 3650. Default: 30.
    live_places_per_day : int
        Maximum requests per day to the Overpass API by all worker processes. Default: 10000, the
        maximum that the public instance requests from its users.
    live_literature : tuple of str
        External sources that literature searches query in addition to the index, as JSON:
        ``["europe_pmc", "e_utilities"]``. The E-utilities search PubMed. **The words of each
        question and the requested publication dates are sent to the sources**; the partner is not.
        Articles from the sources and from the index are ranked together. Default: none, so no
        question leaves the machine.
    live_literature_within_s : float
        Deadline in seconds for all sources, which are queried at the same time, at most 30.
        Default: 5.
    live_literature_days : int
        Days for which articles from the sources are stored in `state_dir`, where later searches
        find them too, 1 to 3650. Default: 30.
    europe_pmc_url : str
        Base URL of Europe PMC. Default: ``https://www.ebi.ac.uk/europepmc/webservices/rest``.
    e_utilities_url : str
        Base URL of the E-utilities. Default: ``https://eutils.ncbi.nlm.nih.gov/entrez/eutils``.
    e_utilities_email : str
        Operator's email address, sent to the E-utilities with the name of the program. Required if
        `live_literature` lists the E-utilities. Default: empty.
    e_utilities_key : SecretStr or None
        API key for the E-utilities. All worker processes together send at most 10 requests per
        second with a key, and 3 without. Each search sends two requests. Default: none.
    contact : str
        Operator's email address or web page, at most 100 characters, sent to external sources in
        the ``User-Agent`` header. Default: empty.
    meal_reader_url : str or None
        Base URL, up to and including ``/v1``, of an OpenAI-compatible API whose language model
        splits meal texts into foods. **End users' meal texts are sent to it**; foods, servings and
        nutrients still come from the catalog. If the model fails, the built-in parser reads the
        text. Default: none, which means that only the built-in parser is used.
    meal_reader_model : str
        Name of the language model; required with `meal_reader_url`. Default: empty.
    meal_reader_key : SecretStr or None
        API key for `meal_reader_url`, if it requires one. Default: none.
    meal_reader_within_s : float
        Deadline in seconds for the model's response, at most 30. Default: 8.
    chat_url : str or None
        Base URL, up to and including ``/v1``, of an OpenAI-compatible API whose language model
        words the answers of the health chat. **The last question of a conversation leaves the
        machine**, together with the passages and results that its answer uses. Questions that get a
        fixed answer, such as those about emergencies, self-harm and doses, do not leave it.
        Default: none, which means that answers quote their sources. If the model fails, the chat
        returns 502 or 504.
    chat_model : str
        Name of the language model; required with `chat_url`. Default: empty.
    chat_key : SecretStr or None
        API key for `chat_url`, if it requires one. Default: none.
    chat_within_s : float
        Deadline in seconds for the model's response, at most 60. Default: 20.
    picture_reader_url : str or None
        Base URL, up to and including ``/v1``, of an OpenAI-compatible API whose vision model names
        the foods in photos and estimates their weights. **End users' photos are sent to it**,
        without their metadata and with at most 1,600 pixels per side; servings and nutrients still
        come from the catalog. If the model fails, the request gets 502 or 504. Default: none, which
        means that the dish model on this machine is used and no photo leaves the machine.
    picture_reader_model : str
        Name of the vision model; required with `picture_reader_url`. Default: empty.
    picture_reader_key : SecretStr or None
        API key for `picture_reader_url`, if it requires one. Default: none.
    picture_reader_within_s : float
        Deadline in seconds for the vision model's response, at most 60. Default: 20.

    Examples
    --------
    >>> Settings(port=8080, workers=2).port
    8080
    """

    model_config = SettingsConfigDict(env_prefix="POSTMEAL_", frozen=True)

    state_dir: Path = Field(default_factory=lambda: (checkout() or Path.cwd()) / "var")
    host: str = "127.0.0.1"
    port: int = Field(default=8000, ge=0, le=65535)
    workers: int = Field(default=1, ge=1, le=256)
    require_https: bool = True
    forwarded_allow_ips: str = "127.0.0.1"
    database: str | None = None
    database_within_s: float = Field(default=10.0, ge=0.1, le=600)
    key_pepper: SecretStr = SecretStr("")
    client_tokens: bool = False
    token_purge_after_s: int = Field(default=3600, ge=0)
    plans: dict[str, Plan] = Field(default_factory=lambda: dict(PLANS))
    credit_costs: dict[str, Annotated[int, Field(ge=0, le=1000)]] = dict(CREDIT_COSTS)
    v1_1_per_minute: int | None = Field(default=600, ge=1)
    address_per_minute: int | None = Field(default=60_000, ge=1)
    address_failures_per_minute: int | None = Field(default=600, ge=1)
    end_user_per_minute: int | None = Field(default=None, ge=1)
    model_folder: Path | None = None
    model_store: Path | None = None
    food_table: Path | None = None
    catalog_file: Path | None = None
    places: Path | None = None
    literature: Path | None = None
    transcript_days: int = Field(default=30, ge=0, le=3650)
    scan_days: int = Field(default=30, ge=0, le=3650)
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    metrics_port: int | None = Field(default=None, ge=1, le=65535)
    fooddata_central_key: SecretStr | None = None
    live_barcodes: tuple[Literal["open_food_facts", "fooddata_central"], ...] = ()
    live_barcodes_within_s: float = Field(default=3.0, gt=0, le=30)
    live_barcodes_in_flight: int = Field(default=8, ge=1, le=1000)
    live_foods_days: int = Field(default=30, ge=1, le=3650)
    open_food_facts_url: BaseUrl = "https://world.openfoodfacts.org"
    fooddata_central_url: BaseUrl = "https://api.nal.usda.gov/fdc"
    open_food_facts_per_minute: int = Field(default=100, ge=1)
    fooddata_central_per_hour: int = Field(default=1000, ge=1)
    live_places_url: BaseUrl | None = None
    live_places_within_s: float = Field(default=3.0, gt=0, le=30)
    live_places_days: int = Field(default=30, ge=1, le=3650)
    live_places_per_day: int = Field(default=10_000, ge=1)
    e_utilities_email: str = Field(default="", max_length=100, pattern=r"^([^@\s]+@[^@\s]+)?$")
    e_utilities_key: SecretStr | None = None
    live_literature: tuple[Literal["europe_pmc", "e_utilities"], ...] = ()
    live_literature_within_s: float = Field(default=5.0, gt=0, le=30)
    live_literature_days: int = Field(default=30, ge=1, le=3650)
    europe_pmc_url: BaseUrl = "https://www.ebi.ac.uk/europepmc/webservices/rest"
    e_utilities_url: BaseUrl = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils"
    contact: str = Field(default="", max_length=100, pattern=r"^[!-'*-~]*$")
    meal_reader_model: str = ""
    meal_reader_url: BaseUrl | None = None
    meal_reader_key: SecretStr | None = None
    meal_reader_within_s: float = Field(default=8.0, gt=0, le=30)
    chat_model: str = ""
    chat_url: BaseUrl | None = None
    chat_key: SecretStr | None = None
    chat_within_s: float = Field(default=20.0, gt=0, le=60)
    picture_reader_model: str = ""
    picture_reader_url: BaseUrl | None = None
    picture_reader_key: SecretStr | None = None
    picture_reader_within_s: float = Field(default=20.0, gt=0, le=60)

    @field_validator("forwarded_allow_ips")
    @classmethod
    def _check_proxies(cls, proxies: str) -> str:
        for proxy in filter(None, map(str.strip, proxies.split(","))):
            try:
                ip_network(proxy)
            except ValueError:
                message = f"must be comma-separated IP addresses or networks, got {proxy!r}"
                raise ValueError(message) from None
        return proxies

    @field_validator("credit_costs")
    @classmethod
    def _add_default_costs(cls, costs: dict[str, int]) -> dict[str, int]:
        return {**CREDIT_COSTS, **costs}

    @model_validator(mode="before")
    @classmethod
    def _refuse_wrong_names(cls, values: Any) -> Any:
        names = {f"POSTMEAL_{name.upper()}" for name in cls.model_fields}
        for given in sorted(os.environ.keys() - names):
            if given in _RENAMED:
                raise ValueError(f"{given} is no longer a setting; use {_RENAMED[given]}")
            similar = get_close_matches(given, names, 1, 0.9) if "POSTMEAL_" in given else ()
            for name in similar:
                raise ValueError(f"{given} is not a setting; did you mean {name}?")
        return values

    @field_validator("model_store")
    @classmethod
    def _check_model_source(cls, store: Path | None, others: ValidationInfo) -> Path | None:
        if store is not None and others.data.get("model_folder") is not None:
            raise ValueError("cannot be set together with POSTMEAL_MODEL_FOLDER; unset one of them")
        return store

    @field_validator("live_barcodes")
    @classmethod
    def _check_barcode_sources(
        cls, sources: tuple[str, ...], others: ValidationInfo
    ) -> tuple[str, ...]:
        _refuse_repetitions(sources)
        if "fooddata_central" in sources and others.data.get("fooddata_central_key") is None:
            raise ValueError(
                "contains fooddata_central, so POSTMEAL_FOODDATA_CENTRAL_KEY must be set as well"
            )
        return sources

    @field_validator("live_literature")
    @classmethod
    def _check_article_sources(
        cls, sources: tuple[str, ...], others: ValidationInfo
    ) -> tuple[str, ...]:
        _refuse_repetitions(sources)
        if "e_utilities" in sources and not others.data.get("e_utilities_email"):
            raise ValueError(
                "contains e_utilities, so POSTMEAL_E_UTILITIES_EMAIL must be set as well"
            )
        return sources

    @field_validator("meal_reader_url", "chat_url", "picture_reader_url")
    @classmethod
    def _check_language_model(cls, url: str | None, info: ValidationInfo) -> str | None:
        model = f"{(info.field_name or '').removesuffix('_url')}_model"
        if url is not None and not info.data.get(model):
            raise ValueError(f"is set, so POSTMEAL_{model.upper()} must be set as well")
        return url

    @field_validator("catalog_file")
    @classmethod
    def _check_food_source(cls, file: Path | None, others: ValidationInfo) -> Path | None:
        if file is not None and others.data.get("food_table") is not None:
            raise ValueError("cannot be set together with POSTMEAL_FOOD_TABLE; unset one of them")
        return file

    @property
    def database_url(self) -> str:
        """The database URL; a SQLite file in `state_dir` unless `database` is set."""
        return self.database or f"sqlite:///{self.state_dir.absolute() / 'postmeal.sqlite'}"

    @property
    def pepper(self) -> bytes:
        """The value of `key_pepper` as bytes."""
        return self.key_pepper.get_secret_value().encode()
