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
from pydantic_settings import BaseSettings, SettingsConfigDict
from pydantic_settings import SettingsError as UnreadableSettingError

from core.errors import SettingsError

PREFIX = "SPANPROOF_"
MIB = 1024**2
_LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_HOST_NAME = re.compile(rf"{_LABEL}(?:\.{_LABEL})*", re.ASCII)


class Settings(BaseSettings):
    """The settings of one process; a value that cannot be used raises SettingsError."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_ignore_empty=True, frozen=True, extra="forbid"
    )

    home: Path = Field(Path(".spanproof"), description="Folder of the embedded store.")
    database_url: str | None = Field(
        None, description="PostgreSQL address; SQLite inside the home when it is not set."
    )
    model: Path | None = Field(
        None,
        description="Folder or registered name of the entailment model, or entry:NAME of another "
        "package; the embedded one when it is not set.",
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
    host: str = Field("127.0.0.1", description="Loopback address that the service listens on.")
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
    witness_rate: float = Field(
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
    stall_seconds: float = Field(
        30.0, gt=0, description="Longest silence within a body that is being sent."
    )
    upload_seconds: float = Field(600.0, gt=0, description="Longest time for sending a body.")
    log_origin: str | None = Field(
        None,
        description="Host name under which the log signs; one made of the key when it is not set.",
    )
    log_mark: Path | None = Field(
        None,
        description="File of the log's high-water mark, best on another disk; in the home's 'log' "
        "folder when it is not set.",
    )
    test_data: Path | None = Field(
        None, description="Folder of real documents and pairs that tests and benchmarks read."
    )

    def __init__(self, **given: Any) -> None:  # noqa: ANN401 - pydantic's own signature
        try:
            super().__init__(**given)
        except ValidationError as error:
            raise _to_settings_error(error) from error
        except UnreadableSettingError as error:
            # Raised where a variable that should hold JSON does not.
            msg = f"Expected SPANPROOF_TOOL_EXTRACTORS to be a JSON object, got: {error}."
            raise SettingsError(msg, hint="Write it as JSON, or unset it.") from error

    @field_validator("host")
    @classmethod
    def _check_loopback(cls, host: str) -> str:
        # Without keys, whoever reaches the port reads every document.
        if is_loopback(host):
            return host
        msg = "a loopback address (127.0.0.1, ::1 or localhost)"
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


def find_unknown_variables(environment: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """Variables that begin like a setting and are none: a setting misspelt has no effect."""
    # The tests read one more: whether a missing database or browser is a failure.
    known = {PREFIX + name.upper() for name in Settings.model_fields} | {
        f"{PREFIX}REQUIRE_SERVICES"
    }
    return tuple(sorted(n for n in environment if n.startswith(PREFIX) and n not in known))


def is_loopback(host: str) -> bool:
    """Whether a host name or address can only mean this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


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
        secret = name in {f"{PREFIX}MODEL_URL", f"{PREFIX}KEY_PASSPHRASE"}
        got = "another value" if secret else repr(first["input"])
        msg = f"Expected {name} to be {expected}, got {got}."
    return SettingsError(msg, hint=f"Set {name} to a value of that kind, or unset it.")
