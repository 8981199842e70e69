"""A server on loopback that speaks text-embeddings-inference's wire format, with a real model.

It tokenises the texts that it gets and runs them, sorts labels by score as that server does, and
can be told to fail.
"""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from spanproof.verifier.entailment.backend import Call
from spanproof.verifier.entailment.backends.torch import TorchBackend
from spanproof.verifier.entailment.models.folder import check_folder
from spanproof.verifier.entailment.models.tokenizer import load_tokenizer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

Answer = tuple[int, bytes]


class InferenceServer(ThreadingHTTPServer):
    """``spoil`` may change the status and body of an answer; ``requests`` are those of /predict."""

    daemon_threads = True

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        checked = check_folder(folder)
        self.backend = TorchBackend.load(checked, device="cpu")
        self.tokenizer, _ = load_tokenizer(checked)
        self.requests: list[dict[str, Any]] = []
        self.spoil: Callable[[str, Answer], Answer | None] = lambda _, answer: answer
        config = json.loads((folder / "config.json").read_text())
        self.names: dict[str, str] = config["id2label"]
        self.info: dict[str, Any] = {
            "model_id": "/data/taught",
            "model_sha": None,
            "model_dtype": "float32",
            "model_type": {"classifier": {"id2label": self.names, "label2id": {}}},
            "max_concurrent_requests": 512,
            "max_input_length": 512,
            "max_batch_tokens": 16384,
            "max_client_batch_size": 2,
            "auto_truncate": False,
            "version": "1.9.3",
        }

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def predict(self, request: dict[str, Any]) -> Answer:
        """The answer to one body of /predict."""
        self.requests.append(request)
        if len(request["inputs"]) > self.info["max_client_batch_size"]:
            return 413, b'{"error": "batch size", "error_type": "Validation"}'
        rows = []
        for premise, claim in request["inputs"]:
            encoding = self.tokenizer.encode(premise, claim)
            if len(encoding.ids) > self.info["max_input_length"]:
                return (
                    413,
                    b'{"error": "`inputs` must have less tokens", "error_type": "Validation"}',
                )
            ids, types = tuple(encoding.ids), tuple(encoding.type_ids)
            (logits,) = self.backend.run([Call(ids=ids, types=types, premise="", claim="")])
            ranked = sorted(range(len(logits)), key=lambda index: -logits[index])
            rows.append([{"score": logits[i], "label": self.names[str(i)]} for i in ranked])
        return 200, json.dumps(rows).encode()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: InferenceServer

    def do_GET(self) -> None:
        found = self.path == "/info"
        self._send((200, json.dumps(self.server.info).encode()) if found else (404, b""))

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self._send(self.server.predict(json.loads(body)))

    def _send(self, answer: Answer) -> None:
        spoilt = self.server.spoil(self.path, answer)
        if spoilt is None:
            # Gone in the middle of an answer.
            self.wfile.write(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n[")
            self.close_connection = True
            return
        status, content = spoilt
        self.send_response(status)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Nothing on stderr."""


@contextmanager
def serve(folder: Path) -> Iterator[InferenceServer]:
    """A running server of the folder's model."""
    server = InferenceServer(folder)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
