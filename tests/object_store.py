"""An object store that speaks S3 on loopback (moto), and faults between it and whoever asks."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from spanproof.store.blobs.object_place import ObjectPlace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

BUCKET = "spanproof-tests"
#: What a client sends here, and what nothing that is told of the store may hold.
KEY_ID, SECRET = "AKIDTESTKEYTESTKEY", "a-secret-of-the-tests"
#: A hanging answer is let go at the end of a test; no test waits so long.
_LONGEST_SECONDS = 30.0
_ERROR = "<Error><Code>{code}</Code><Message>{code}</Message></Error>"


@dataclass(slots=True)
class ObjectServer:
    """The server, what it is to do next, and the requests that came."""

    application: Any
    #: Amazon's own client, to look at what is kept and to change it.
    client: Any = None
    url: str = ""
    requests: list[str] = field(default_factory=list)
    _fault: Callable[..., Iterable[bytes] | None] | None = None
    _released: threading.Event = field(default_factory=threading.Event)

    def place(self, prefix: str, *, seconds: float = 10.0, cache_bytes: int = 2**30) -> ObjectPlace:
        """A place for blobs in the bucket of the tests."""
        return ObjectPlace(url=f"s3://{BUCKET}/{prefix}", seconds=seconds, cache_bytes=cache_bytes)

    def keys(self, prefix: str) -> list[str]:
        """The names of the objects below a prefix, without it."""
        found = self.client.list_objects_v2(Bucket=BUCKET, Prefix=f"{prefix}/")
        return [each["Key"].removeprefix(f"{prefix}/") for each in found.get("Contents", ())]

    @contextmanager
    def failing(self, fault: Callable[..., Iterable[bytes] | None]) -> Iterator[None]:
        """Ask ``fault`` first: it answers in the store's place, or lets it answer by None."""
        self._released.clear()
        self._fault = fault
        try:
            yield
        finally:
            self._fault = None
            self._released.set()

    def hang(self, *_: object) -> None:
        """A fault: no answer until the test is over."""
        self._released.wait(_LONGEST_SECONDS)

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        """One request, as WSGI has it."""
        self.requests.append(f"{environ['REQUEST_METHOD']} {environ['PATH_INFO']}")
        if self._fault is not None:
            answer = self._fault(self.application, environ, start_response)
            if answer is not None:
                return answer
        answered: Iterable[bytes] = self.application(environ, start_response)
        return answered


def refuse(status: str, code: str, *methods: str) -> Callable[..., Iterable[bytes] | None]:
    """A fault: requests of these methods, or all, are answered with an error of S3."""

    def answer(_: Any, environ: dict[str, Any], start_response: Any) -> Iterable[bytes] | None:
        if methods and environ["REQUEST_METHOD"] not in methods:
            return None
        environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        body = b"" if environ["REQUEST_METHOD"] == "HEAD" else _ERROR.format(code=code).encode()
        length = ("Content-Length", str(len(body)))
        start_response(status, [("Content-Type", "application/xml"), length])
        return [body]

    return answer


def change_answer(
    change: Callable[[bytes], bytes], *, with_checksum: bool
) -> Callable[..., Iterable[bytes] | None]:
    """A fault: what is read comes changed; the announced length is that of the true bytes.

    ``with_checksum``: so is a checksum, by which the client can see it; else nothing tells.
    """

    def answer(application: Any, environ: dict[str, Any], start_response: Any) -> Any:
        def start(status: str, headers: list[tuple[str, str]], *rest: Any) -> Any:
            told = [each for each in headers if with_checksum or "checksum" not in each[0].lower()]
            return start_response(status, told, *rest)

        if environ["REQUEST_METHOD"] != "GET" or "/blobs/" not in environ["PATH_INFO"]:
            return None
        return [change(b"".join(application(environ, start)))]

    return answer


def swallow_puts(_: Any, environ: dict[str, Any], start_response: Any) -> Iterable[bytes] | None:
    """A fault: what is put is acknowledged and not kept."""
    if environ["REQUEST_METHOD"] != "PUT":
        return None
    environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    start_response("200 OK", [("ETag", '"d41d8cd98f00b204e9800998ecf8427e"')])
    return [b""]


@contextmanager
def run_object_server() -> Iterator[ObjectServer]:
    """The server, with its bucket, and with the environment that s3fs finds it by."""
    import boto3
    import fsspec
    from aiobotocore.session import AioSession
    from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
    from werkzeug.serving import WSGIRequestHandler, make_server

    class Silent(WSGIRequestHandler):
        """Writes no line for each request."""

        def log(self, *_: object, **__: object) -> None:
            pass

    server = ObjectServer(application=DomainDispatcherApplication(create_backend_app))
    listening = make_server("127.0.0.1", 0, server, threaded=True, request_handler=Silent)
    thread = threading.Thread(target=listening.serve_forever, daemon=True)
    server.url = f"http://127.0.0.1:{listening.port}"
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("AWS_ENDPOINT_URL", server.url)
        environment.setenv("AWS_ACCESS_KEY_ID", KEY_ID)
        environment.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
        environment.setenv("AWS_DEFAULT_REGION", "us-east-1")
        environment.setenv("AWS_EC2_METADATA_DISABLED", "true")
        # Else each store of a test would read Amazon's description of S3 anew.
        environment.setitem(fsspec.config.conf, "s3", {"session": AioSession()})
        thread.start()
        try:
            server.client = boto3.client("s3")
            server.client.create_bucket(Bucket=BUCKET)
            yield server
        finally:
            listening.shutdown()
            thread.join()
            listening.server_close()
