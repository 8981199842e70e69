"""A document fetched from an address: only from hosts that are listed, and never from within.

Off without a list. The fetcher resolves the name once, refuses it unless each of its addresses is
public, and connects to the first of these addresses, even if the name points elsewhere later (DNS
rebinding). It follows no redirect: it refuses an answer that leads elsewhere.
Source: OWASP Server-Side Request Forgery Prevention; RFC 6890 (special-purpose addresses).
"""

from __future__ import annotations

import http.client
import re
import socket
import ssl
from contextlib import closing, contextmanager
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

from spanproof.core.errors import FieldProblem, MalformedAnswerError
from spanproof.core.shown import show_value
from spanproof.operations.documents.ingest import ingest_stream
from spanproof.operations.errors import (
    DocumentTooLargeError,
    FetchFailedError,
    FetchOffError,
    FetchRefusedError,
)
from spanproof.operations.outbound import is_public

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from spanproof.operations.context import Context
    from spanproof.operations.documents.ingest_report import IngestReport
    from spanproof.operations.settings import Settings

#: Exactly one way to write an address, so that no two parsers can read it differently.
_URL = re.compile(
    r"(https?)://([a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?)(?::([1-9][0-9]{0,4}))?"
    r"(/[A-Za-z0-9._~!$&'()*+,;=:@%/-]*)?(\?[A-Za-z0-9._~!$&'()*+,;=:@%/?-]*)?",
    re.ASCII,
)
_PORTS = {"http": 80, "https": 443}
_MOST_URL = 2048
_MOST_DIGITS = 18
_CHUNK_BYTES = 64 * 1024
_HINT = "Give the https address of a host that SPANPROOF_FETCH_HOSTS lists, or send the bytes."


class Target(NamedTuple):
    """Where a request goes: it asks for the name, and connects to the address."""

    scheme: str
    host: str
    port: int
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """An answer that has started: the type that the server names, and the bytes as they arrive."""

    media_type: str | None
    chunks: Iterator[bytes]


def resolve_host(host: str, port: int) -> list[str]:
    """Every address of a name."""
    return [row[4][0] for row in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]  # type: ignore[misc]


class Fetcher:
    """Fetches from ``hosts`` (``name`` or ``name:port``); no other host, no private address."""

    def __init__(  # noqa: PLR0913 - the limits, and the two doors to the network
        self,
        hosts: tuple[str, ...],
        *,
        most_bytes: int,
        stall_seconds: float,
        total_seconds: float,
        resolve: Callable[[str, int], list[str]] = resolve_host,
        connect: Callable[..., socket.socket] = socket.create_connection,
    ) -> None:
        self._hosts, self._most = frozenset(hosts), most_bytes
        self._stall, self._total = stall_seconds, total_seconds
        self._resolve, self._connect = resolve, connect

    @contextmanager
    def fetch(self, url: str) -> Iterator[Fetched]:
        """The document at an address; the connection is closed when the block ends.

        Raises FetchOffError, FetchRefusedError, FetchFailedError and DocumentTooLargeError.
        """
        if not self._hosts:
            msg = "Expected SPANPROOF_FETCH_HOSTS to list a host, got none: nothing is fetched."
            raise FetchOffError(msg, hint="Send the document's bytes: PUT /v1/documents.")
        target = self._parse(url)
        address = self._choose_address(target)
        deadline = monotonic() + self._total
        connection = _PinnedConnection(target, address, timeout=self._stall, connect=self._connect)
        with closing(connection):
            try:
                response = connection.ask()
            except (OSError, http.client.HTTPException) as error:
                raise _failed(type(error).__name__) from error
            self._check_answer(response)
            kind = response.getheader("Content-Type")
            yield Fetched(media_type=kind, chunks=self._read(response, deadline))

    def _parse(self, url: str) -> Target:
        found = _URL.fullmatch(url) if len(url) <= _MOST_URL else None
        if found is None:
            msg = "an http or https address in its plain form"
            raise _refused(msg)
        scheme, host, port, path, query = found.groups()
        chosen = int(port) if port else _PORTS[scheme]
        listed = f"{host}:{chosen}" in self._hosts or (
            host in self._hosts and chosen == _PORTS[scheme]
        )
        if not listed:
            msg = "the address of a listed host"
            raise _refused(msg)
        return Target(scheme, host, chosen, (path or "/") + (query or ""))

    def _choose_address(self, target: Target) -> str:
        try:
            found = self._resolve(target.host, target.port)
        except (OSError, UnicodeError) as error:
            raise _failed(type(error).__name__) from error
        # One that is within makes the name a suspect, wherever it stands in the list.
        if not found or not all(map(is_public, found)):
            msg = "a host whose every address is public"
            raise _refused(msg)
        return found[0]

    def _check_answer(self, response: http.client.HTTPResponse) -> None:
        if response.status != http.client.OK:
            raise _failed(f"status {response.status}")
        if response.getheader("Content-Encoding", "identity").lower() != "identity":
            msg = "a content coding"
            raise _failed(msg)
        length = response.getheader("Content-Length", "")
        # A number of thousands of digits is one that int() does not read.
        if length.isdecimal() and (len(length) > _MOST_DIGITS or int(length) > self._most):
            raise self._too_large(int(length[:_MOST_DIGITS]))

    def _read(self, response: http.client.HTTPResponse, deadline: float) -> Iterator[bytes]:
        received = 0
        while True:
            if monotonic() > deadline:
                msg = "a server that is too slow"
                raise _failed(msg)
            try:
                chunk = response.read1(_CHUNK_BYTES)
            except (OSError, http.client.HTTPException) as error:
                raise _failed(type(error).__name__) from error
            if not chunk:
                break
            received += len(chunk)
            if received > self._most:
                raise self._too_large(received)
            yield chunk
        if response.length:
            msg = "the end of the connection before the end of the document"
            raise _failed(msg)

    def _too_large(self, got: int) -> DocumentTooLargeError:
        msg = f"Expected at most {self._most} bytes, got {got} or more."
        return DocumentTooLargeError(msg, hint="Split the document, or raise the limit.")


class _PinnedConnection:
    """One request over one connection to one address, under the host's name."""

    def __init__(
        self, target: Target, address: str, *, timeout: float, connect: Callable[..., socket.socket]
    ) -> None:
        self._target, self._address, self._timeout = target, address, timeout
        self._connect = connect
        self._http = http.client.HTTPConnection(target.host, target.port, timeout=timeout)
        # It never reconnects by itself: the name may point elsewhere by then.
        self._http.auto_open = 0

    def ask(self) -> http.client.HTTPResponse:
        target = self._target
        opened = self._connect((self._address, target.port), timeout=self._timeout)
        self._http.sock = opened
        if target.scheme == "https":
            tls = ssl.create_default_context()
            self._http.sock = tls.wrap_socket(opened, server_hostname=target.host)
        is_default = target.port == _PORTS[target.scheme]
        named = target.host if is_default else f"{target.host}:{target.port}"
        headers = {"Host": named, "Accept-Encoding": "identity", "User-Agent": "spanproof"}
        # The socket is there already: else http.client would open one of its own.
        self._http.request("GET", target.path, headers=headers)
        return self._http.getresponse()

    def close(self) -> None:
        self._http.close()


def _refused(expected: str) -> FetchRefusedError:
    # The address itself is not told again: it may hold a password, and every trick looks alike.
    return FetchRefusedError(f"Expected {expected}, got another.", hint=_HINT)


def _failed(got: str) -> FetchFailedError:
    msg = f"Expected the host to answer with the document, got {got}."
    return FetchFailedError(msg, hint="Try again, or send the bytes: PUT /v1/documents.")


_FIELDS = ("url", "doc_id", "title")


def fetch_document(context: Context, payload: object, fetcher: Fetcher) -> IngestReport:
    """Fetch and keep a document; ``payload`` is an object of url, doc_id, title."""
    wanted = read_request(payload)
    with fetcher.fetch(wanted["url"]) as fetched:
        return ingest_stream(
            context,
            fetched.chunks,
            filename=None,
            media_type=fetched.media_type,
            doc_id=wanted["doc_id"],
            title=wanted["title"],
        )


def make_fetcher(settings: Settings) -> Fetcher:
    """The fetcher of the settings' hosts and limits."""
    return Fetcher(
        settings.fetch_hosts,
        most_bytes=settings.max_document_bytes,
        stall_seconds=settings.stall_seconds,
        total_seconds=settings.upload_seconds,
    )


def read_request(payload: object) -> dict[str, Any]:
    """The fields of the request; raise MalformedAnswerError."""
    given = payload if isinstance(payload, dict) else {}
    problems = [
        FieldProblem(pointer=f"/{name}", expected="no such field", got="one")
        for name in sorted(map(str, given.keys() - set(_FIELDS)))
    ]
    for name in _FIELDS:
        value = given.get(name)
        if not isinstance(value, str) and (name == "url" or value is not None):
            problems.append(
                FieldProblem(pointer=f"/{name}", expected="text", got=show_value(value))
            )
    if problems:
        first = problems[0]
        msg = f"Expected {first.expected} at {first.pointer}, got {first.got}."
        hint = "Compare it with /openapi.json."
        raise MalformedAnswerError(msg, hint=hint, problems=tuple(problems))
    return {name: given.get(name) for name in _FIELDS}
