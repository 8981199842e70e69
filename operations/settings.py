"""Settings: every ``SPANPROOF_…`` environment variable, read here and nowhere else."""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Mapping  # noqa: TC003 - pydantic reads annotations at run time
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)
from pydantic_settings import SettingsError as UnreadableSettingError

from spanproof.core.errors import SettingsError
from spanproof.core.host import is_loopback
from spanproof.operations.configuration import FILE_NAME, read_file, refuse_unknown

PREFIX = "SPANPROOF_"
MIB = 1024**2
_LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_HOST_NAME = re.compile(rf"{_LABEL}(?:\.{_LABEL})*", re.ASCII)

_PART = "[A-Za-z0-9][A-Za-z0-9._-]*"
_OBJECT_STORE = re.compile(rf"[a-z][a-z0-9]*://{_PART}(?:/{_PART})*/?", re.ASCII)
#: What fsspec reaches too and is not durable when it says so.
_NO_OBJECT_STORES = frozenset({"file", "local", "memory"})

#: Old names of settings, each with its new one.
_RENAMED = {"WITNESS_RATE": "CROSS_CHECK_RATE"}

#: No settings: the file of settings, the service that a client asks, and whether a missing
#: database or browser fails a test.
_OTHERS = {f"{PREFIX}{name}" for name in ("CONFIG", "URL", "REQUIRE_SERVICES")}

#: The last label begins with a letter: an address in any of its spellings is no name.
_LISTED_HOST = re.compile(
    rf"(?:{_LABEL}\.)*[a-z][a-z0-9-]{{0,62}}(?::[1-9][0-9]{{0,4}})?", re.ASCII
)


class Settings(BaseSettings):
    """The settings of one process; a value that cannot be used raises SettingsError."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_ignore_empty=True, frozen=True, extra="forbid"
    )

    home: Path = Field(Path(".spanproof"), description="Folder of the embedded store.")
    database_url: str | None = Field(
        None, description="PostgreSQL address; SQLite inside the home when it is not set."
    )
    blobs: str | None = Field(
        None,
        description="Address of an object store, such as s3://bucket/prefix; blobs stand in the "
        "home when it is not set.",
    )
    blobs_seconds: float = Field(
        20.0, gt=0, le=600, description="Longest wait for one answer of the object store."
    )
    blobs_cache_bytes: int = Field(
        2048 * MIB, ge=0, description="Copies of objects that are kept in the home, in bytes."
    )
    model: Path | None = Field(
        None,
        description="Folder, registered or installed name of the entailment model, or entry:NAME "
        "of another package; the embedded one when it is not set.",
    )
    device: Literal["auto", "cpu", "cuda"] = Field(
        "auto", description="Where the entailment model runs."
    )
    runtime: Literal[
        "auto", "onnx", "onnx-int8", "openvino", "openvino-bf16", "torch", "remote"
    ] = Field("auto", description="What computes the entailment model's logits.")
    model_url: str | None = Field(
        None, description="Address of the server that the remote runtime asks."
    )
    cache_entries: int = Field(
        200_000,
        ge=0,
        le=100_000_000,
        description="Pairs whose raw readings are kept beside the store; 0: none.",
    )
    calibration: str | None = Field(
        None, description="Named calibration of the model; the model's own when it is not set."
    )
    tool_extractors: dict[str, str] | None = Field(
        None,
        description="JSON object: further patterns of tool names, each with an extractor's name.",
    )
    policy: str = Field("balanced", min_length=1, description="Policy when the answer names none.")
    environment: str = Field(
        "production",
        pattern=r"^[a-z0-9][a-z0-9-]{0,39}$",
        description="Name of the deployment, such as staging; a grammar's mode is set for each.",
    )
    host: str = Field(
        "127.0.0.1",
        min_length=1,
        description="Address that the service listens on; beyond loopback only with keys.",
    )
    allowed_hosts: tuple[str, ...] = Field(
        (),
        description="JSON list: further names under which the service may be asked.",
    )
    port: int = Field(8321, ge=0, le=65535, description="Port that the service listens on.")
    max_document_bytes: int = Field(
        100 * MIB, gt=0, description="Largest document taken, in bytes."
    )
    max_pages: int = Field(5000, gt=0, description="Most pages of a document.")
    max_characters: int = Field(20_000_000, gt=0, description="Most characters of a document.")
    parse_seconds: float = Field(60.0, gt=0, description="Longest time for reading a document.")
    parse_memory_bytes: int = Field(
        2048 * MIB, gt=0, description="Most memory for reading a document, in bytes."
    )
    engine: Literal["mupdf", "pdfium"] = Field("mupdf", description="What reads PDFs.")
    sandbox: Literal["auto", "required", "off"] = Field(
        "auto",
        description="Confine the parser as far as the kernel can; required refuses without.",
    )
    workers: int = Field(0, ge=0, le=64, description="Documents read at once; 0: one a core.")
    tessdata: Path | None = Field(
        None, description="Folder of the OCR language data; found by itself when it is not set."
    )
    cross_check_rate: float = Field(
        0.05, ge=0, le=1, description="Share of cited spans that a second PDF engine reads too."
    )
    key_passphrase: SecretStr | None = Field(
        None, description="Passphrase of the files that hold private keys."
    )
    log_witnesses: Path | None = Field(
        None, description="Policy file of the witnesses that cosign the log's heads."
    )
    max_answer_bytes: int = Field(
        8 * MIB, gt=0, description="Largest answer payload taken, in bytes."
    )
    max_citations: int = Field(2000, gt=0, description="Most citations of an answer.")
    max_supplied: int = Field(
        2000, gt=0, description="Most documents, and most retrieved texts, of an answer."
    )
    max_claims: int = Field(
        2000,
        gt=0,
        description="Most claims of an answer that cite, or that are attributed.",
    )
    max_verdicts: int = Field(
        4000,
        gt=0,
        description="Most pairs of a claim and a citation of an answer; tokens of a clean text.",
    )
    budget_seconds: float = Field(
        60.0,
        ge=0,
        description="CPU time for judging one answer, in seconds; what is left is NOT_RUN. "
        "0: no limit.",
    )
    max_bulk_bytes: int = Field(
        8192 * MIB, gt=0, description="Largest body of a bulk verification taken, in bytes."
    )
    max_manifest_bytes: int = Field(
        8192 * MIB, gt=0, description="Largest manifest of an index taken, in bytes."
    )
    max_manifest_rows: int = Field(
        20_000_000, gt=0, description="Most rows of a manifest of an index."
    )
    head_seconds: float = Field(
        10.0, gt=0, le=600, description="Longest time for the line and headers of a request."
    )
    connections: int = Field(256, ge=0, description="Open connections of one address; 0: no limit.")
    stall_seconds: float = Field(
        30.0, gt=0, description="Longest silence within a body that is being sent."
    )
    upload_seconds: float = Field(600.0, gt=0, description="Longest time for sending a body.")
    job_threads: int = Field(
        2, ge=0, le=64, description="Jobs that 'serve' and 'worker' run at once; 0: none here."
    )
    job_beat_seconds: float = Field(
        5.0,
        gt=0,
        le=600,
        description="How often a worker says that it lives; three beats missed, it is dead.",
    )
    job_days: float = Field(
        30.0, gt=0, description="How long a finished job stays listed; its results stay."
    )
    webhook_private: bool = Field(
        default=False,
        description="Let webhooks reach private and loopback addresses, also by plain http.",
    )
    drain_seconds: float = Field(
        20.0, ge=0, description="How long a service that is stopped lets requests and jobs finish."
    )
    open_tenants: int = Field(16, ge=1, le=10_000, description="Unused tenants that stay open.")
    fetch_hosts: tuple[str, ...] = Field(
        (),
        description="JSON list: hosts (name or name:port) that documents are fetched from; "
        "without it none are.",
    )
    oidc_issuer: str | None = Field(
        None, description="Issuer of the OpenID tokens that are taken beside keys."
    )
    oidc_audience: str | None = Field(None, description="Audience that such a token must name.")
    oidc_jwks: str | None = Field(
        None, description="The issuer's public keys: a file, or an https address."
    )
    oidc_tenant_claim: str | None = Field(
        None, description="Claim that names the tenant; the tenant 'default' when it is not set."
    )
    oidc_scope_claim: str = Field("scope", description="Claim that holds the scopes.")
    rate_limit: float = Field(
        1000.0, ge=0, le=1e6, description="Requests a second of one key; 0: no limit."
    )
    running: int = Field(
        0, ge=0, le=64, description="Answers verified at once; 0: twice the cores."
    )
    tenant_weights: dict[str, float] = Field(
        {},
        description="JSON object: tenants whose part of the turns is not that of any other (1).",
    )
    waiting: int = Field(
        64,
        ge=0,
        le=10_000,
        description="Requests of each class of work that may wait for a turn; others get 429.",
    )
    streams: int = Field(
        64, ge=0, le=10_000, description="Streams of events that are open at once; others get 429."
    )
    body_bytes: int = Field(
        256 * MIB,
        gt=0,
        description="Bytes of bodies that are held in memory at once; others get 429.",
    )
    staged_bytes: int = Field(
        16384 * MIB,
        gt=0,
        description="Bytes of uploads on the disk at once, and as many of what jobs were given; "
        "others get 429.",
    )
    queued_jobs: int = Field(
        10_000,
        ge=1,
        le=1_000_000,
        description="Jobs of one tenant that were asked for and are not over; others get 429.",
    )
    log_origin: str | None = Field(
        None,
        description="Host name under which the log signs; one made of the key when it is not set.",
    )
    log_mark: Path | None = Field(
        None,
        description="File of the log's high-water mark, best on another disk; in the home's 'log' "
        "folder when it is not set.",
    )
    sampling_plan: Path | None = Field(
        None,
        description="JSON file with the plan of sampling; the default's with "
        "SPANPROOF_SAMPLING_RATE when it is not set.",
    )
    sampling_rate: float = Field(
        0.05, ge=0, le=1, description="Share of submitted answers to verify, without a plan."
    )
    reviewers: int = Field(
        2, ge=1, le=20, description="People who label each answer that is drawn for review."
    )
    retention_plan: Path | None = Field(
        None, description="TOML or JSON file with the plan of retention; without it nothing goes."
    )
    access_log: bool = Field(
        default=False,
        description="Write down who asks for which answer, document, page and pack.",
    )
    test_data: Path | None = Field(
        None, description="Folder of real documents and pairs that tests and benchmarks read."
    )

    def __init__(self, **given: Any) -> None:  # noqa: ANN401 - pydantic's own signature
        _refuse_renamed(os.environ)
        refuse_unknown(find_unknown_variables(), list_variables())
        try:
            super().__init__(**given)
        except ValidationError as error:
            raise _to_settings_error(error) from error
        except UnreadableSettingError as error:
            # Raised where a variable that should hold JSON does not.
            found = re.search(r'field "(\w+)"', str(error))
            name = PREFIX + (found[1].upper() if found else "TOOL_EXTRACTORS")
            msg = f"Expected {name} to be written as JSON, got: {error}."
            raise SettingsError(msg, hint="Write it as JSON, or unset it.") from error

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """The caller's words win over the environment, and that over the file."""
        del dotenv_settings, file_secret_settings
        named = os.environ.get(f"{PREFIX}CONFIG")
        path = Path(named or FILE_NAME)
        read = read_file(path, cls.model_fields) if named or path.is_file() else {}
        # As in the environment, an empty value sets nothing.
        given = {name: value for name, value in read.items() if value != ""}
        return init_settings, env_settings, InitSettingsSource(settings_cls, init_kwargs=given)

    @field_validator("blobs")
    @classmethod
    def _check_blobs(cls, url: str | None) -> str | None:
        # No '@' and no '?': a shown address must hold no credentials.
        if url is None:
            return None
        if _OBJECT_STORE.fullmatch(url) and url.partition(":")[0] not in _NO_OBJECT_STORES:
            return url.rstrip("/")
        msg = "an object store's address such as s3://bucket/prefix, without credentials"
        raise ValueError(msg)

    @field_validator("allowed_hosts")
    @classmethod
    def _check_hosts(cls, hosts: tuple[str, ...]) -> tuple[str, ...]:
        if all(_HOST_NAME.fullmatch(host) for host in hosts):
            return hosts
        msg = "a list of host names in lower case, without ports"
        raise ValueError(msg)

    @field_validator("fetch_hosts")
    @classmethod
    def _check_fetch_hosts(cls, hosts: tuple[str, ...]) -> tuple[str, ...]:
        if all(_LISTED_HOST.fullmatch(host) for host in hosts):
            return hosts
        msg = "a list of host names in lower case, each with a port or without"
        raise ValueError(msg)

    @field_validator("oidc_jwks")
    @classmethod
    def _check_keys_address(cls, place: str | None) -> str | None:
        # An attacker who changes the keys in transit could sign for anyone.
        if place is None or not place.startswith("http:"):
            return place
        if is_loopback(urlsplit(place).hostname or ""):
            return place
        msg = "a file, or an https address"
        raise ValueError(msg)

    @field_validator("model_url")
    @classmethod
    def _check_address(cls, url: str | None) -> str | None:
        try:
            parts = urlsplit(url or "http://unset")
        except ValueError:
            parts = urlsplit("")
        if parts.scheme in {"http", "https"} and parts.hostname and not parts.query:
            return url
        msg = "an http or https address"
        raise ValueError(msg)

    @field_validator("log_origin")
    @classmethod
    def _check_origin(cls, origin: str | None) -> str | None:
        # A host name and nothing else: other tools read the log's name as one.
        if origin is None or (len(origin) <= 253 and _HOST_NAME.fullmatch(origin)):
            return origin
        msg = "a host name in lower case, without a path"
        raise ValueError(msg)


def _refuse_renamed(environment: Mapping[str, str]) -> None:
    # Ignored, an old name would silently fall back to the default.
    for old, new in _RENAMED.items():
        if environment.get(PREFIX + old):
            msg = f"Expected {PREFIX}{new}, got {PREFIX}{old}, its old name."
            raise SettingsError(msg, hint=f"Rename {PREFIX}{old} to {PREFIX}{new}.")


def find_unknown_variables(environment: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """Variables that begin like a setting but name none: a misspelt setting has no effect."""
    known = list_variables() | _OTHERS
    return tuple(sorted(n for n in environment if n.startswith(PREFIX) and n not in known))


def list_variables() -> set[str]:
    """The variable of every setting."""
    return {PREFIX + name.upper() for name in Settings.model_fields}


def prepare_ray() -> str:
    """Switch Ray's telemetry off; returns the cluster of Ray's own variable, or ``local``."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    return os.environ.get("RAY_ADDRESS") or "local"


def is_own_host(host: str, listening: str, allowed: tuple[str, ...]) -> bool:
    """Whether a request may come under this name, where the service listens on that address.

    A page that rebinds its DNS name to ours sends its own name, never an address.
    """
    if is_loopback(host) or host in allowed:
        return True
    if is_loopback(listening):
        return False
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return host == listening
    return True


def _to_settings_error(error: ValidationError) -> SettingsError:
    # The first is enough for one line; the next run names the next.
    first = error.errors(include_url=False, include_context=False)[0]
    name = PREFIX + "_".join(str(part) for part in first["loc"]).upper()
    if first["type"] == "extra_forbidden":
        msg = f"Expected a setting, got {name}."
    else:
        expected = first["msg"].removeprefix("Value error, ")
        expected = expected.removeprefix("Input should be ").rstrip(".")
        # An address may hold a password, which belongs in no log.
        secret = name in {PREFIX + each for each in ("MODEL_URL", "KEY_PASSPHRASE", "BLOBS")}
        got = "another value" if secret else repr(first["input"])
        msg = f"Expected {name} to be {expected}, got {got}."
    return SettingsError(msg, hint=f"Set {name} to a value of that kind, or unset it.")
