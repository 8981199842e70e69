"""A receiver of webhooks on loopback: it keeps what came, and answers as it is told."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(slots=True)
class Received:
    """One request."""

    path: str
    headers: dict[str, str]
    body: bytes


@dataclass(slots=True)
class Receiver:
    """What came, and what is answered next; ``hang`` waits before the status."""

    url: str = ""
    status: int = 204
    hang: float = 0.0
    drip: bool = False
    received: list[Received] = field(default_factory=list)

    def wait(self, count: int, *, seconds: float = 30.0) -> list[Received]:
        """What came, once it is so many."""
        deadline = time.monotonic() + seconds
        while len(self.received) < count:
            assert time.monotonic() < deadline, self.received
            time.sleep(0.02)
        return self.received


@contextmanager
def receiving() -> Iterator[Receiver]:
    """A receiver that is served while the block runs."""
    receiver = Receiver()
    is_over = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            receiver.received.append(Received(self.path, headers, body))
            if receiver.drip:
                # A byte now and then, for ever: no single read ever takes long.
                self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Long: ")
                while not is_over.wait(0.05):
                    self.wfile.write(b"a")
                return
            is_over.wait(receiver.hang)
            self.send_response(receiver.status)
            self.send_header("Location", f"{receiver.url}elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

        def handle(self) -> None:
            try:
                super().handle()
            except OSError:
                # The sender went away, as it should.
                self.close_connection = True

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    receiver.url = f"http://127.0.0.1:{server.server_address[1]}/"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield receiver
    finally:
        is_over.set()
        server.shutdown()
        server.server_close()
        thread.join()
