"""Each exporter against the store itself where it runs here, else against its wire format."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import httpx
import pytest

from spanproof.core.digest import Digest
from spanproof.core.errors import InputError, MalformedManifestError
from spanproof.ingest.manifest import open_manifest
from spanproof.operations.errors import StoreUnreachableError
from spanproof.operations.indexes.export import export_index
from spanproof.operations.indexes.exporters import (
    chroma,
    elasticsearch,
    langchain,
    llamaindex,
    pgvector,
    qdrant,
)
from spanproof.operations.indexes.exporters.chunk import (
    FOREIGN_PIPELINE,
    Fields,
    StoredChunk,
    to_rows,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanproof.operations.indexes.exporters import StoreKind
    from tests.postgresql import PostgresqlServer

HASH = str(Digest.of(b"document"))
#: More than a page of any exporter, and text that is not ASCII.
NUMBER = 1_203
CHUNKS = {
    f"chunk-{n:04d}": (f"Absatz {n}: „ä𝑉“", {"doc_hash": HASH, "char_start": n, "char_end": n + 3})
    for n in range(NUMBER)
}


def check(found: Iterator[StoredChunk], *, ids: dict[str, str] | None = None) -> None:
    chunks = list(found)
    listed = [(ids or {}).get(each.chunk_id, each.chunk_id) for each in chunks]
    assert len(listed) == NUMBER
    assert set(listed) == set(CHUNKS)
    for name, chunk in zip(listed, chunks, strict=True):
        text, metadata = CHUNKS[name]
        assert chunk.text == text
        assert {key: chunk.metadata[key] for key in metadata} == metadata
    assert sum(1 for _ in to_rows(chunks, Fields())) == NUMBER


def test_pgvector(postgresql_server: PostgresqlServer) -> None:
    import psycopg

    with postgresql_server.database() as url:
        with psycopg.connect(url) as connection, connection.cursor() as cursor:
            cursor.execute("CREATE SCHEMA rag")
            cursor.execute('CREATE TABLE rag."Chunks" (id text, text text, metadata jsonb)')
            rows = [(name, text, json.dumps(known)) for name, (text, known) in CHUNKS.items()]
            cursor.executemany('INSERT INTO rag."Chunks" VALUES (%s, %s, %s)', rows)
        check(pgvector.list_chunks(url, "rag.Chunks"))
        # A name is a name, whatever stands in it.
        with pytest.raises(psycopg.errors.UndefinedTable):
            list(pgvector.list_chunks(url, 'Chunks"; DROP SCHEMA rag CASCADE; --'))
        check(pgvector.list_chunks(url, "rag.Chunks"))


@pytest.mark.long
def test_qdrant(tmp_path: Path) -> None:
    import uuid

    from qdrant_client import models

    client = qdrant.open_client(str(tmp_path / "qdrant"))
    size = models.VectorParams(size=2, distance=models.Distance.DOT)
    client.create_collection("chunks", vectors_config=size)
    ids = {name: str(uuid.uuid5(uuid.NAMESPACE_OID, name)) for name in CHUNKS}
    points = [
        models.PointStruct(
            id=ids[name], vector=[1.0, 0.0], payload={"page_content": text, "metadata": known}
        )
        for name, (text, known) in CHUNKS.items()
    ]
    client.upsert("chunks", points)
    check(qdrant.list_chunks(client, "chunks"), ids={given: name for name, given in ids.items()})
    client.close()


def fill(client: Any) -> None:
    collection = client.create_collection("chunks", embedding_function=None)
    collection.add(
        ids=list(CHUNKS),
        documents=[text for text, _ in CHUNKS.values()],
        metadatas=[known for _, known in CHUNKS.values()],
        embeddings=[[1.0, 0.0]] * NUMBER,
    )


@pytest.mark.long
def test_chroma(tmp_path: Path) -> None:
    with chroma.open_client(str(tmp_path)) as client:
        fill(client)
        check(chroma.list_chunks(client, "chunks"))
        assert client.get_settings().anonymized_telemetry is False


@pytest.mark.long
def test_a_chroma_server(tmp_path: Path) -> None:
    with chroma.open_client(str(tmp_path / "store")) as client:
        fill(client)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    commands = Path(sys.executable).parent
    place = str(tmp_path / "store")
    serve = [str(commands / "chroma"), "run", "--path", place, "--port", str(port)]
    output = tmp_path / "m.jsonl"
    with subprocess.Popen(serve, stdout=subprocess.DEVNULL) as server:
        try:
            wait_for(port)
            home = os.environ | {"SPANPROOF_HOME": str(tmp_path / "home")}
            # Its client closes a connection when its process ends, and not before.
            export = [str(commands / "spanproof"), "index", "export"]
            store = ["chroma", "--url", f"http://127.0.0.1:{port}", "--collection", "chunks"]
            subprocess.run(
                [*export, *store, "--output", str(output)], check=True, timeout=60, env=home
            )
        finally:
            server.terminate()
    with open_manifest(output) as manifest:
        rows = {row.chunk_id: row.text_sha256 for row in manifest.rows}
    assert rows == {name: Digest.of(text.encode()) for name, (text, _) in CHUNKS.items()}


def wait_for(port: int) -> None:
    for _ in range(300):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.1)
    pytest.fail("the server did not start")


class Scrolling(BaseHTTPRequestHandler):
    """What Elasticsearch and OpenSearch answer to a scroll: pages, then an empty one."""

    #: Indexes of which only a part answers, all the same with status 200.
    TORN: ClassVar[dict[str, Any]] = {
        "/torn/_search?scroll=2m": {"_shards": {"total": 2, "successful": 1, "failed": 1}},
        "/slow/_search?scroll=2m": {"timed_out": True, "_shards": {"failed": 0}},
    }

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        names = list(CHUNKS)
        if self.path == "/chunks/_search?scroll=2m":
            assert asked["sort"] == ["_doc"]
            first, size = 0, asked["size"]
        elif self.path in self.TORN:
            self._answer({"_scroll_id": "0:1", "hits": {"hits": []}} | self.TORN[self.path])
            return
        elif self.path == "/_search/scroll":
            first, size = (int(part) for part in asked["scroll_id"].split(":"))
        else:
            self.send_error(404)
            return
        hits = [
            {"_id": name, "_source": {"text": CHUNKS[name][0], "metadata": CHUNKS[name][1]}}
            for name in names[first : first + size]
        ]
        self._answer({"_scroll_id": f"{first + size}:{size}", "hits": {"hits": hits}})

    def do_DELETE(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self._answer({"succeeded": True})

    def log_message(self, *_: Any) -> None:
        """Nothing of it belongs into a test's output."""

    def _answer(self, body: dict[str, Any]) -> None:
        content = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def test_elasticsearch_by_its_wire_format() -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), Scrolling) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with httpx.Client(base_url=f"http://127.0.0.1:{server.server_port}") as client:
            check(elasticsearch.list_chunks(client, "chunks"))
            with pytest.raises(httpx.HTTPStatusError):
                list(elasticsearch.list_chunks(client, "none"))
            for name in ("torn", "slow"):
                with pytest.raises(StoreUnreachableError, match="every shard"):
                    list(elasticsearch.list_chunks(client, name))
        server.shutdown()


def test_a_chunk_without_a_text_is_refused_and_an_empty_one_is_not(tmp_path: Path) -> None:
    from qdrant_client import models

    client = qdrant.open_client(str(tmp_path / "qdrant"))
    size = models.VectorParams(size=2, distance=models.Distance.DOT)
    client.create_collection("chunks", vectors_config=size)
    payload = {"page_content": "", "doc_hash": HASH, "char_start": 0, "char_end": 0}
    client.upsert("chunks", [models.PointStruct(id=1, vector=[1.0, 0.0], payload=payload)])
    (row,) = to_rows(qdrant.list_chunks(client, "chunks"), Fields())
    assert row.text_sha256 == Digest.of(b"")
    with pytest.raises(MalformedManifestError, match=r"text of chunk 1.*got none") as caught:
        list(to_rows(qdrant.list_chunks(client, "chunks", text="words"), Fields()))
    assert "--text" in caught.value.hint
    client.close()


def make_langchain_store() -> Any:
    from langchain_core.embeddings import DeterministicFakeEmbedding
    from langchain_core.vectorstores import InMemoryVectorStore

    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=2))
    store.add_texts(
        [text for text, _ in CHUNKS.values()],
        [known for _, known in CHUNKS.values()],
        ids=list(CHUNKS),
    )
    return store


def test_langchain() -> None:
    from langchain_core.documents import Document

    check(langchain.list_chunks(make_langchain_store()))
    documents = [
        Document(id=name, page_content=text, metadata=known)
        for name, (text, known) in CHUNKS.items()
    ]
    check(langchain.list_chunks(documents))


def test_llamaindex() -> None:
    from llama_index.core.schema import Document, TextNode
    from llama_index.core.storage.docstore import SimpleDocumentStore

    nodes = [
        TextNode(id_=name, text=text, metadata=known) for name, (text, known) in CHUNKS.items()
    ]
    docstore = SimpleDocumentStore()
    docstore.add_documents([*nodes, Document(text="the whole document")])
    check(llamaindex.list_chunks(docstore))
    check(llamaindex.list_chunks(nodes))


def test_what_the_metadata_says_becomes_a_row() -> None:
    text = "ä𝑉"
    chunk = StoredChunk(chunk_id="c", text=text, metadata={"source": "a.pdf", "start_index": 7})
    (row,) = to_rows([chunk], Fields(find_hash={"a.pdf": HASH}.get))
    assert (row.doc_id, str(row.doc_hash), row.char_start, row.char_end) == ("a.pdf", HASH, 7, 9)
    assert row.text_sha256 == Digest.of(text.encode())
    assert row.extraction_pipeline == FOREIGN_PIPELINE
    given = {"sha256": HASH, "name": "b", "start_index": None}
    fields = Fields().renamed({"doc_hash": "sha256", "doc_id": "name"})
    (other,) = to_rows([StoredChunk(chunk_id="d", text="", metadata=given)], fields)
    assert (other.doc_id, other.char_start) == ("b", None)


@pytest.mark.parametrize(
    ("metadata", "says"),
    [
        ({}, "doc_hash of chunk 1"),
        ({"source": "unknown.pdf"}, "doc_hash of chunk 1"),
        ({"doc_hash": "1f3a"}, "64 lower-case"),
        ({"doc_hash": HASH, "char_start": 3.5}, "char_start"),
        ({"doc_hash": HASH, "char_end": 3}, "char_end"),
    ],
)
def test_a_chunk_that_cannot_be_a_row_is_named(metadata: dict[str, Any], says: str) -> None:
    with pytest.raises(MalformedManifestError, match=says):
        list(to_rows([StoredChunk(chunk_id="c", text="a", metadata=metadata)], Fields()))


def test_an_export_is_whole_or_not_there(tmp_path: Path, context: Any) -> None:
    here = f"{__name__}:make_langchain_store"
    output = tmp_path / "m.jsonl"
    header = export_index(context, "langchain", here, None, output, names={}, embedding_model="e5")
    assert (header.rows, header.embedding_model) == (NUMBER, "e5")
    with open_manifest(output) as manifest:
        assert sum(1 for _ in manifest.rows) == NUMBER
    nowhere = "http://127.0.0.1:9"
    with pytest.raises(StoreUnreachableError, match="ConnectError"):
        export_index(context, "opensearch", nowhere, "chunks", tmp_path / "none.jsonl", names={})
    assert [path.name for path in tmp_path.iterdir() if path.suffix] == ["m.jsonl"]


@pytest.mark.parametrize("kind", ["chroma", "qdrant"])
def test_an_embedded_store_that_is_not_there_is_not_made(
    kind: StoreKind, tmp_path: Path, context: Any
) -> None:
    output = tmp_path / "m.jsonl"
    with pytest.raises(InputError, match=f"folder of an embedded {kind}"):
        export_index(context, kind, str(tmp_path / "none"), "chunks", output, names={})
    assert list(tmp_path.glob("none")) == list(tmp_path.glob("m.jsonl")) == []


def test_the_text_of_chroma_has_no_other_name(tmp_path: Path, context: Any) -> None:
    with pytest.raises(InputError, match="no name of a text"):
        export_index(
            context, "chroma", str(tmp_path), "chunks", tmp_path / "m.jsonl", names={}, text="body"
        )
