"""A running service with one two-column document and its answers, and what a screenshot shows."""

from __future__ import annotations

import http.client
import json
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from spanproof.core.digest import Digest
from spanproof.ingest.engine.mupdf.library import load_pymupdf
from tests.serving import serve_program

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Floats = np.ndarray[Any, np.dtype[np.float64]]
LEFT = (
    "The supplier replaces defective goods within four business days of a written notice. "
    "The notice names the order, the goods and the defect. Goods that were altered by the buyer "
    "are not replaced."
)
RIGHT = (
    "The buyer must not withhold payment of undisputed invoices. Interest of five per cent a year "
    "is due on late payments. Payment is due within thirty days of the invoice."
)
TURNED = "Complaints are answered by the quality officer within two weeks of their receipt."
#: What a hostile author would put into every field.
ATTACK = '"><img src=x onerror="window.attacked=1"><script>window.attacked=1</script>'


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """The address of a running service and the verifications that it holds."""

    address: str
    answer: str
    attacked: str
    key: str | None = None

    def send(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """One request of JSON, for what a test adds; raises where it is refused."""
        port = int(self.address.rpartition(":")[2])
        content = None if body is None else json.dumps(body).encode()
        return json.loads(_send(port, method, path, content, self.key))

    def lose_citation(self) -> str:
        """Register two versions of an index ``terms``, of which the second loses a citation."""
        port, quote = int(self.address.rpartition(":")[2]), "Words of it."
        put = "/v1/documents?doc_id=other"
        kept = json.loads(_send(port, "PUT", put, quote.encode(), self.key))
        answer, rows = make_lost_citation(kept["doc_hash"], kept["extraction_pipeline"], quote)
        for version, row in zip(("v1", "v2"), rows, strict=True):
            path = f"/v1/indexes/terms/versions?version={version}"
            _send(port, "POST", path, row, self.key)
        return _post(port, answer, self.key)

    def put(self, name: str, content: bytes) -> str:
        """Take in a document by its file name; its hash."""
        port = int(self.address.rpartition(":")[2])
        path = f"/v1/documents?doc_id={name}&filename={name}&title={name}"
        return str(json.loads(_send(port, "PUT", path, content, self.key))["doc_hash"])


def make_lost_citation(
    doc_hash: str, pipeline: str, quote: str
) -> tuple[dict[str, Any], tuple[bytes, bytes]]:
    """An answer that cites a chunk, and two manifests: in the second the chunk has other words."""
    cited = {"anchor": 1, "doc_hash": doc_hash, "index_version": "v1", "chunk_id": "0" * 32}
    answer = {"answer": "So it is [1].", "citations": [cited | {"span": {"text": quote}}]}
    row: dict[str, Any] = {"chunk_id": "0" * 32, "doc_id": "other", "doc_hash": doc_hash}
    row |= {"char_start": 0, "char_end": len(quote), "extraction_pipeline": pipeline}
    old, new = (str(Digest.of(words)) for words in (quote.encode(), b"other words"))
    old_row, new_row = (json.dumps(row | {"text_sha256": each}).encode() for each in (old, new))
    return answer, (old_row, new_row)


def make_two_columns() -> bytes:
    """Page 1 has two columns and a blank lower half; page 2 is turned by 90 degrees and cropped."""
    pymupdf = load_pymupdf()
    document = pymupdf.open()
    page = document.new_page(width=595, height=842)
    for words, left in ((LEFT, 60), (RIGHT, 320)):
        page.insert_textbox(pymupdf.Rect(left, 90, left + 215, 400), words, fontsize=11)
    turned = document.new_page(width=595, height=842)
    turned.insert_textbox(pymupdf.Rect(90, 140, 400, 400), TURNED, fontsize=11)
    turned.set_cropbox(pymupdf.Rect(40, 60, 560, 800))
    turned.set_rotation(90)
    content: bytes = document.tobytes()
    document.close()
    return content


@contextmanager
def run_service(folder: Path) -> Iterator[Service]:
    """``spanproof serve``, one document and two answers in it."""
    with serve_program(folder) as address:
        yield fill(address)


def fill(address: str, key: str | None = None) -> Service:
    """Give a running service the document and the answers, with a key where it asks for one."""
    port = int(address.rpartition(":")[2])
    sent = _send(port, "PUT", "/v1/documents?doc_id=supply-terms", make_two_columns(), key)
    doc_hash = json.loads(sent)["doc_hash"]
    text = _send(port, "GET", f"/v1/documents/{doc_hash}/text", key=key).decode()
    return Service(
        address=address,
        answer=_post(port, make_answer(doc_hash, text), key),
        attacked=_post(port, make_attacked_answer(doc_hash, text), key),
        key=key,
    )


def make_answer(doc_hash: str, text: str) -> dict[str, Any]:
    """Six citations, an orphan anchor, an uncited sentence."""

    def cite(anchor: int, first: str, last: str, **more: Any) -> dict[str, Any]:
        start = text.index(first)
        end = text.index(last, start) + len(last)
        span = {"text": text[start:end], "char_start": start, "char_end": end}
        base = {"anchor": anchor, "doc_hash": doc_hash, "doc_title": "Supply terms"}
        return base | {"span": span} | more

    altered = cite(3, "Interest of", "late payments.")
    altered["span"] = {"text": "Interest of nine per cent a year is due on late payments."}
    return {
        "question": "How fast are defects made good, and what happens when payment is late?",
        "answer": "Defective goods are replaced within four business days of a notice [1]. "
        "The buyer may withhold payment of undisputed invoices [2]. Late payments bear interest "
        "of nine per cent a year [3].\n\nComplaints go to the quality officer [4], and all of it "
        "is settled by arbitration [5]. This sentence cites nothing. This one cites what is "
        "not there [9].",
        "generator": {"model": "example-writer-2"},
        "retrieved": [
            {"chunk_id": "terms-1", "doc_hash": doc_hash, "text": LEFT, "score": 0.84, "rank": 1}
        ],
        "citations": [
            cite(
                1,
                "The supplier",
                "notice.",
                chunk_id="terms-1",
                retrieval_score=0.84,
                retrieval_method="hybrid:bm25+dense",
                index_version="2026-11-01",
                doc_url="https://example.org/terms.pdf",
            ),
            cite(2, "The buyer must not", "invoices."),
            altered,
            cite(4, "Complaints are", "receipt."),
            {
                "anchor": 5,
                "doc_hash": doc_hash,
                "doc_title": "Supply terms",
                "span": {"text": "Every dispute is settled by arbitration in Geneva."},
            },
            cite(6, "Goods that", "replaced."),
        ],
    }


def make_attacked_answer(doc_hash: str, text: str) -> dict[str, Any]:
    """The attack in every field that a caller may fill."""
    citation = {
        "anchor": 1,
        "doc_hash": doc_hash,
        "span": {"text": text[:40] + ATTACK},
        "doc_url": f"javascript:window.attacked=1//{ATTACK}",
    }
    for name in ("doc_title", "chunk_id", "retrieval_method", "embedding_model", "index_version"):
        citation[name] = ATTACK
    return {
        "answer": f"{ATTACK} [1]. {ATTACK} [7].",
        "question": ATTACK,
        "session_id": ATTACK,
        "trace_id": ATTACK,
        "labels": {ATTACK: ATTACK},
        "generator": {"model": ATTACK, "prompt_id": ATTACK},
        "retrieved": [{"chunk_id": ATTACK, "doc_hash": doc_hash, "text": ATTACK}],
        "citations": [citation],
    }


def _post(port: int, answer: dict[str, Any], key: str | None) -> str:
    body = json.dumps(answer).encode()
    return str(json.loads(_send(port, "POST", "/v1/verifications", body, key))["verification_id"])


def _send(
    port: int, method: str, path: str, body: bytes | None = None, key: str | None = None
) -> bytes:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    try:
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        if "/versions?" in path:
            headers["Content-Type"] = "application/x-ndjson"
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        content = response.read()
    finally:
        connection.close()
    if response.status >= 400:
        raise RuntimeError(f"Expected {path} to be served, got {response.status}: {content!r}")
    return content


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Shot:
    """A screenshot's pixels: rows, columns, red green blue."""

    pixels: Floats

    @classmethod
    def of(cls, png: bytes) -> Shot:
        """Decode a PNG."""
        pixmap = load_pymupdf().Pixmap(png)
        samples = np.frombuffer(pixmap.samples, dtype=np.uint8)
        shape = (pixmap.height, pixmap.width, pixmap.n)
        return cls(pixels=samples.reshape(shape)[:, :, :3].astype(np.float64))

    def dark_share(self, x: float, y: float, width: float, height: float) -> float:
        """The share of pixels in a rectangle that are as dark as ink."""
        pixels = self._cut(x, y, width, height)
        return float((pixels @ np.array([0.299, 0.587, 0.114]) < 110).mean())

    def tinted_share(self, x: float, y: float, width: float, height: float) -> float:
        """The share of pixels in a rectangle that have a colour: neither paper nor ink."""
        pixels = self._cut(x, y, width, height)
        return float((pixels.max(axis=-1) - pixels.min(axis=-1) > 20).mean())

    def _cut(self, x: float, y: float, width: float, height: float) -> Floats:
        cut = self.pixels[round(y) : round(y + height), round(x) : round(x + width)]
        if cut.size == 0:
            msg = "Expected a rectangle with pixels in it, got none."
            raise ValueError(msg)
        return cut
