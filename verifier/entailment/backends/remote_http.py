"""JSON over HTTP with a server of our own: bounded in time, size and attempts, every failure typed.

Nothing of the address is ever printed: it may hold a password.
"""

from __future__ import annotations

import contextlib
import json
import time
from typing import Any, NoReturn

import httpx

from spanproof.core.errors import ModelUnavailableError

#: Seconds to connect, and between two pieces of an answer: a batch of long pairs takes a CPU
#: server some tens of seconds.
CONNECT_SECONDS, READ_SECONDS = 5.0, 120.0
#: Statuses of a server that is busy or starting, and the waits before each further attempt.
BUSY = (429, 503)
WAIT_SECONDS = (0.25, 0.5, 1.0, 2.0)
#: An answer of a few labels a pair is some kilobytes; more is no answer.
MAX_ANSWER_BYTES = 8 * 1024**2

_HINT = "Check SPANPROOF_MODEL_URL and the server, then ask again."


class RemoteHttp:
    """One server; safe to use from several threads."""

    def __init__(self, url: str | None, *, read_seconds: float = READ_SECONDS) -> None:
        """Raise ModelUnavailableError for a malformed address; send no request yet."""
        self._seconds = read_seconds
        try:
            base = httpx.URL(url or "")
        except (httpx.InvalidURL, ValueError):
            base = httpx.URL("")
        if base.scheme not in {"http", "https"} or not base.host:
            refuse("SPANPROOF_MODEL_URL to be an http or https address", "another or none")
        self._client = httpx.Client(
            base_url=base,
            timeout=httpx.Timeout(read_seconds, connect=CONNECT_SECONDS),
            follow_redirects=False,
            # Premises leave for the server that was named, not for a proxy that was not.
            trust_env=False,
        )

    def get(self, path: str) -> Any:  # noqa: ANN401 - what a server sent
        """The JSON at a path; raise ModelUnavailableError for any other answer."""
        return self._ask("GET", path, None)

    def post(self, path: str, body: dict[str, Any]) -> Any:  # noqa: ANN401 - what a server sent
        """The JSON that answers a body; raise ModelUnavailableError for any other answer."""
        return self._ask("POST", path, json.dumps(body).encode())

    def close(self) -> None:
        """Close the connections; closing twice does nothing."""
        self._client.close()

    def _ask(self, method: str, path: str, body: bytes | None) -> Any:  # noqa: ANN401
        status, content = self._attempt(method, path, body)
        for wait in WAIT_SECONDS:
            if status not in BUSY:
                break
            time.sleep(wait)
            status, content = self._attempt(method, path, body)
        if status != httpx.codes.OK:
            refuse(f"status 200 of {method} {path}", f"{status}{_read_error(content)}")
        try:
            return json.loads(content)
        except (ValueError, RecursionError) as error:
            msg = f"Expected JSON of {method} {path}, got {content[:80]!r}."
            raise ModelUnavailableError(msg, hint=_HINT) from error

    def _attempt(self, method: str, path: str, body: bytes | None) -> tuple[int, bytes]:
        late = time.monotonic() + self._seconds
        headers = {"content-type": "application/json"} if body is not None else None
        content = bytearray()
        try:
            with self._client.stream(method, path, content=body, headers=headers) as response:
                for piece in response.iter_bytes():
                    content += piece
                    if len(content) > MAX_ANSWER_BYTES:
                        refuse(f"an answer of at most {MAX_ANSWER_BYTES} bytes", "more")
                    if time.monotonic() > late:
                        refuse(f"an answer within {self._seconds} s", "one that drips")
                return response.status_code, bytes(content)
        # RuntimeError is what a client says that was closed meanwhile.
        except (httpx.HTTPError, httpx.StreamError, RuntimeError) as error:
            msg = f"Expected an answer to {method} {path}, got {type(error).__name__}."
            raise ModelUnavailableError(msg, hint=_HINT) from error


def refuse(expected: str, got: str) -> NoReturn:
    """Raise ModelUnavailableError with the server's words."""
    msg = f"Expected {expected}, got {got}."
    raise ModelUnavailableError(msg, hint=_HINT)


def _read_error(content: bytes) -> str:
    """What the server says went wrong, where it says so in its own form."""
    with contextlib.suppress(ValueError, RecursionError):
        value = json.loads(content)
        if isinstance(value, dict) and isinstance(value.get("error"), str):
            return f" ({value['error'][:200]})"
    return ""
