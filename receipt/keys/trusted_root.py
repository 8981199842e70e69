"""Sigstore's TrustedRoot: the keys of the logs, and the time-stamping authorities.

It has no place for the keys that sign statements: ``spanproof.receipt.keys.trust_file`` adds them.
Source: https://github.com/sigstore/protobuf-specs (sigstore_trustroot.proto).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spanproof.core.json_reader.base64_text import encode_base64
from spanproof.core.moment import write_short_moment
from spanproof.receipt.keys.signing_keys import LogKey

if TYPE_CHECKING:
    from datetime import datetime

    from spanproof.core.json_reader.json_field import Field

MEDIA_TYPE = "application/vnd.dev.sigstore.trustedroot+json;version=0.1"
#: More than any rotation or chain needs.
MAX_LOGS = 1000
MAX_AUTHORITIES = 100
MAX_CERTIFICATES = 16
MAX_CERTIFICATE_BYTES = 1 << 16
_KEY_DETAILS = "PKIX_ED25519"
_HASH = "SHA2_256"
_SCHEME = "https://"
#: An origin is a host name and nothing else: sigstore-go takes it from the URL's host.
_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_ORIGIN = re.compile(rf"(?=.{{1,253}}\Z){_LABEL}(?:\.{_LABEL})*", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidFor:
    """When a key was used: from ``start`` to ``end``, both included; None: it still is."""

    start: datetime
    end: datetime | None = None

    def __post_init__(self) -> None:
        if self.end is not None and self.end < self.start:
            msg = f"Expected an end after {self.start}, got {self.end}."
            raise ValueError(msg)

    def covers(self, moment: datetime) -> bool:
        """Whether the moment lies in it."""
        return self.start <= moment and (self.end is None or moment <= self.end)

    def __str__(self) -> str:
        end = "now" if self.end is None else write_short_moment(self.end)
        return f"{write_short_moment(self.start)} to {end}"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustedLog:
    """A key that signs the heads of a log; the key's name is the log's origin."""

    key: LogKey
    valid_for: ValidFor


@dataclass(frozen=True, slots=True, kw_only=True)
class TimestampAuthority:
    """An authority that states when something existed; certificates in DER, the signer's first."""

    uri: str
    organization: str
    common_name: str
    certificates: tuple[bytes, ...]
    valid_for: ValidFor


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustedRoot:
    """The logs (several keys where one was changed, several origins where a log was closed)."""

    logs: tuple[TrustedLog, ...]
    timestamp_authorities: tuple[TimestampAuthority, ...] = ()


def is_origin(text: str) -> bool:
    """Whether a log can have this name: a host name in lower case, no port, no path."""
    return _ORIGIN.fullmatch(text) is not None


def parse_trusted_root(field: Field) -> TrustedRoot:
    """Read a TrustedRoot of Ed25519 logs; the error of ``field`` for anything else."""
    root = field.fields(
        "mediaType",
        "tlogs",
        optional=["certificateAuthorities", "ctlogs", "timestampAuthorities"],
    )
    root["mediaType"].literal(MEDIA_TYPE)
    for unused in ("certificateAuthorities", "ctlogs"):
        # Trust in what is never asked would only look like trust.
        if unused in root:
            root[unused].items(most=0)
    authorities = root.get("timestampAuthorities")
    parsed = [] if authorities is None else authorities.items(most=MAX_AUTHORITIES)
    logs = tuple(_parse_log(each) for each in root["tlogs"].items(least=1, most=MAX_LOGS))
    if len({(log.key.name, log.key.key_id) for log in logs}) != len(logs):
        root["tlogs"].refuse("each key of a log once")
    return TrustedRoot(
        logs=logs, timestamp_authorities=tuple(_parse_authority(each) for each in parsed)
    )


def trusted_root_to_json(root: TrustedRoot) -> dict[str, Any]:
    """The TrustedRoot as Sigstore's tools read it."""
    return {
        "mediaType": MEDIA_TYPE,
        "tlogs": [_log_to_json(log) for log in root.logs],
        "certificateAuthorities": [],
        "ctlogs": [],
        "timestampAuthorities": [_authority_to_json(each) for each in root.timestamp_authorities],
    }


def parse_valid_for(field: Field) -> ValidFor:
    """Read ``{"start", "end"}``, where ``end`` may be left out."""
    found = field.fields("start", optional=["end"])
    start, end = found["start"].moment(), found["end"].moment() if "end" in found else None
    try:
        return ValidFor(start=start, end=end)
    except ValueError:
        field.refuse("an end that is not before the start")


def valid_for_to_json(valid_for: ValidFor) -> dict[str, str]:
    """``{"start", "end"}``, or ``{"start"}`` for an open window."""
    window = {"start": write_short_moment(valid_for.start)}
    if valid_for.end is not None:
        window["end"] = write_short_moment(valid_for.end)
    return window


def _parse_log(field: Field) -> TrustedLog:
    log = field.fields("baseUrl", "hashAlgorithm", "publicKey", "logId")
    log["hashAlgorithm"].literal(_HASH)
    url = log["baseUrl"].text()
    origin = url.removeprefix(_SCHEME)
    if origin == url or not is_origin(origin):
        log["baseUrl"].refuse("https:// and a host name in lower case")
    public = log["publicKey"].fields("rawBytes", "keyDetails", "validFor")
    public["keyDetails"].literal(_KEY_DETAILS)
    try:
        key = LogKey.from_spki(public["rawBytes"].base64(most=1024), origin)
    except ValueError:
        public["rawBytes"].refuse("an Ed25519 key (SubjectPublicKeyInfo)")
    log["logId"].fields("keyId")["keyId"].literal(encode_base64(key.log_id))
    return TrustedLog(key=key, valid_for=parse_valid_for(public["validFor"]))


def _log_to_json(log: TrustedLog) -> dict[str, Any]:
    return {
        "baseUrl": _SCHEME + log.key.name,
        "hashAlgorithm": _HASH,
        "publicKey": {
            "rawBytes": encode_base64(log.key.spki),
            "keyDetails": _KEY_DETAILS,
            "validFor": valid_for_to_json(log.valid_for),
        },
        "logId": {"keyId": encode_base64(log.key.log_id)},
    }


def _parse_authority(field: Field) -> TimestampAuthority:
    authority = field.fields("subject", "uri", "certChain", "validFor")
    subject = authority["subject"].fields("organization", "commonName")
    chain = authority["certChain"].fields("certificates")["certificates"]
    return TimestampAuthority(
        uri=authority["uri"].text(),
        organization=subject["organization"].text(least=0),
        common_name=subject["commonName"].text(least=0),
        certificates=tuple(
            each.fields("rawBytes")["rawBytes"].base64(most=MAX_CERTIFICATE_BYTES)
            for each in chain.items(least=1, most=MAX_CERTIFICATES)
        ),
        valid_for=parse_valid_for(authority["validFor"]),
    )


def _authority_to_json(authority: TimestampAuthority) -> dict[str, Any]:
    return {
        "subject": {
            "organization": authority.organization,
            "commonName": authority.common_name,
        },
        "uri": authority.uri,
        "certChain": {
            "certificates": [{"rawBytes": encode_base64(each)} for each in authority.certificates]
        },
        "validFor": valid_for_to_json(authority.valid_for),
    }
