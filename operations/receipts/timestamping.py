"""``log timestamp``: a receipt with an authority's word that it existed by a moment (RFC 3161)."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from spanproof.core import canonical_json
from spanproof.core.errors import ConflictError, EvidenceError
from spanproof.core.moment import write_short_moment
from spanproof.operations.errors import AuthorityUnreachableError
from spanproof.operations.small_file import read_small_file
from spanproof.receipt.check.timestamp import MAX_RESPONSE_BYTES, check_response, make_request
from spanproof.receipt.forms.bundle import (
    MAX_BUNDLE_BYTES,
    MAX_TIMESTAMPS,
    bundle_to_json,
    parse_bundle,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import httpx

    from spanproof.receipt.check.timestamp import Timestamp
    from spanproof.receipt.keys.trusted_root import TimestampAuthority

#: Seconds of silence that end a request.
TIMEOUT = 10.0
_TYPE = "application/timestamp-query"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamped:
    """The receipt's file with one timestamp more, and what that says."""

    content: bytes
    timestamp: Timestamp

    def to_json(self) -> dict[str, Any]:
        """As ``--json`` prints it."""
        return {
            "authority": self.timestamp.authority,
            "moment": write_short_moment(self.timestamp.moment),
            "latest": write_short_moment(self.timestamp.latest),
            "receipt": json.loads(self.content),
        }


def add_timestamp(
    path: Path,
    authorities: Sequence[TimestampAuthority],
    *,
    client: httpx.Client,
    url: str | None = None,
) -> Stamped:
    """Ask the first authority, or the one at ``url``, for a timestamp of a signature; add it.

    Checks the answer before adding it. Raises EvidenceError for an invalid answer or an untrusted
    authority, AuthorityUnreachableError where no authority answers.
    """
    raw = read_small_file(
        path, "a receipt", most_bytes=MAX_BUNDLE_BYTES, hint="Give the path of a bundle."
    )
    receipt = parse_bundle(raw)
    if len(receipt.timestamps) >= MAX_TIMESTAMPS:
        msg = f"Expected fewer than {MAX_TIMESTAMPS} timestamps in a receipt, got as many."
        raise ConflictError(msg, hint="Give the receipt as it was issued.")
    asked = url or next((each.uri for each in authorities), None)
    if asked is None:
        msg = "Expected a time-stamping authority in the trust file, got none."
        raise EvidenceError(msg, hint="Name one: 'spanproof audit trust --timestamp-authority'.")
    request = make_request(receipt.envelope.signature)
    answer = _post(client, asked, request.content)
    timestamp = check_response(answer, request, authorities)
    stamped = replace(receipt, timestamps=(*receipt.timestamps, answer))
    return Stamped(content=canonical_json.dumps(bundle_to_json(stamped)), timestamp=timestamp)


def _post(client: httpx.Client, url: str, content: bytes) -> bytes:
    import httpx

    hint = "Check its address, or ask again later."
    body = bytearray()
    try:
        headers = {"Content-Type": _TYPE}
        with client.stream("POST", url, content=content, headers=headers) as response:
            for chunk in response.iter_bytes():
                body += chunk
                if len(body) > MAX_RESPONSE_BYTES:
                    msg = f"Expected at most {MAX_RESPONSE_BYTES} bytes of {url!r}, got more."
                    raise AuthorityUnreachableError(msg, hint=hint)
        status = response.status_code
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        msg = f"Expected an answer of {url!r}, got {type(error).__name__}."
        raise AuthorityUnreachableError(msg, hint=hint) from error
    if status not in {200, 201}:
        msg = f"Expected a timestamp of {url!r}, got status {status}."
        raise AuthorityUnreachableError(msg, hint=hint)
    return bytes(body)
