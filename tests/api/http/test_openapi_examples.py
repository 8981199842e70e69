"""The examples of the OpenAPI document are what the service answers, and cannot go stale."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from importlib import import_module
from pkgutil import walk_packages
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import BaseModel

from spanproof.api.http import wire
from spanproof.api.http.problems import find_status
from spanproof.api.http.responses import SOURCE_TYPES
from spanproof.api.http.wire import attribution, grammars
from spanproof.api.http.wire.administration import HEALTH, READY, VERSION
from spanproof.api.http.wire.answer import EXAMPLE
from spanproof.api.http.wire.examples import files
from spanproof.api.http.wire.examples import responses as examples
from spanproof.api.http.wire.examples.documents import DIGEST_FIELD, INGESTED, PUT_QUERY
from spanproof.api.http.wire.examples.verifications import VERIFICATION
from spanproof.api.http.wire.problem_examples import PROBLEM_EXAMPLES
from spanproof.core.digest import Digest
from spanproof.core.errors import SpanproofError
from spanproof.core.verdicts.model import ModelIdentity
from tests.api.conftest import post_answer, run_client
from tests.api.http.described import describe_service
from tests.builders import ScriptedModel, make_record
from tests.sources import make_encrypted_pdf

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastapi.testclient import TestClient

    from spanproof.ingest.sandbox import Parser
    from spanproof.operations.settings import Settings

#: What another moment, version of a part or calibration may change without making it a lie.
VARYING = {
    "chunk_id",
    "added_at",
    "verified_at",
    "verification_id",
    "receipt_url",
    "verifier_version",
    "extraction_id",
    "extraction_ids",
    "extraction_pipeline",
    "pipeline_digest",
    "verdicts_digest",
    "digest",
    "view_url",
    "next_cursor",
    # What the kernel has.
    "sandbox",
    # Bytes of a receipt.
    "hint",
    "keyId",
    "rootHash",
    "hashes",
    "envelope",
    "canonicalizedBody",
    "payload",
    "sig",
}
LINE = b"Defective goods are replaced within four business days of a written notice."


def make_example_pdf() -> bytes:
    """One page with one line of Helvetica, the same bytes each time."""
    drawn = b"BT /F1 11 Tf 72 742 Td (" + LINE + b") Tj ET"
    objects = (
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources %b >>"
        % b"<< /Font << /F1 5 0 R >> >>",
        b"<< /Length %d >>\nstream\n%b\nendstream" % (len(drawn), drawn),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    )
    content, table = b"%PDF-1.7\n", b"0000000000 65535 f \n"
    for number, body in enumerate(objects, start=1):
        table += b"%010d 00000 n \n" % len(content)
        content += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    return (
        content
        + b"xref\n0 6\n%btrailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n"
        % (
            table,
            len(content),
        )
    )


@pytest.fixture
def client(settings: Settings, warm_parser: Parser) -> Iterator[TestClient]:
    """The application with a model that the examples name."""
    model = ScriptedModel()
    model.identity = ModelIdentity(
        name="example",
        thresholds=(("balanced/half_in_order", 0.5),),
        weights_digest=Digest.of(b"example"),
        runtime="example",
        calibration="example",
        threshold=0.5,
        labels=("entailment", "neutral", "contradiction"),
        record=make_record(weights=Digest.of(b"example"), name="example"),
    )
    with run_client(settings, parser=warm_parser, model=model) as client:
        yield client


def gather_answers(client: TestClient) -> dict[str, Any]:
    """What the service answers to the requests of the examples, by the example's name."""
    put = client.put("/v1/documents", params=PUT_QUERY, content=make_example_pdf())
    found: dict[str, Any] = {"INGESTED": put.json()}
    span = EXAMPLE["citations"][0]["span"]
    place = {"start": span["char_start"], "end": span["char_end"]}
    path = "/v1/documents/supply-agreement"
    found["DOCUMENT"] = client.get(path).json()
    found["DOCUMENT_LIST"] = client.get("/v1/documents").json()
    found["PLACE"] = client.get(f"{path}/locate", params=place).json()
    found["MATCHES"] = client.get(f"{path}/find", params={"quote": span["text"]}).json()
    cut = {"by": "structure", "text": "true"}
    found["CHUNK_LIST"] = client.get(f"{path}/chunks", params=cut).json()
    found["VERIFICATION"] = post_answer(client, EXAMPLE).json()
    made = found["VERIFICATION"]["verification_id"]
    found["RECEIPT"] = client.get(f"/v1/verifications/{made}/receipt").json()
    found["FEEDBACK"] = client.get(f"/v1/verifications/{made}/feedback").json()
    given = json.dumps(attribution.EXAMPLE_IN).encode()
    found["ATTRIBUTION"] = client.post("/v1/attributions", content=given).json()
    given = json.dumps(grammars.CLEAN_EXAMPLE).encode()
    found["CLEANED"] = client.post("/v1/clean-texts", content=given).json()
    given = json.dumps(grammars.PROMPT_EXAMPLE).encode()
    found["PROMPTED"] = client.post("/v1/prompts", content=given).json()
    found["VERIFICATION_LIST"] = client.get("/v1/verifications").json()
    found["ANSWER_LIST"] = client.get("/v1/answers").json()
    return found


def _mask(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            name: type(each).__name__ if name in VARYING else _mask(each)
            for name, each in value.items()
        }
    if isinstance(value, list):
        return [_mask(each) for each in value]
    return round(value, 1) if isinstance(value, float) else value


def test_the_examples_are_what_the_service_answers(client: TestClient) -> None:
    found = gather_answers(client)
    for name, answer in found.items():
        assert _mask(getattr(examples, name)) == _mask(answer), name


def test_the_example_verification_passes_and_cites_the_example_document() -> None:
    (verdict,) = VERIFICATION["verification"]["verdicts"]
    assert verdict["outcome"] == "pass"
    assert verdict["identity"]["doc_hash"] == INGESTED["doc_hash"]
    assert str(Digest.of(make_example_pdf())) == INGESTED["doc_hash"]


@pytest.mark.parametrize("field", ["Content-Digest", "Repr-Digest"])
def test_the_example_digest_is_taken(client: TestClient, field: str) -> None:
    headers = {field: DIGEST_FIELD}
    response = client.put("/v1/documents", headers=headers, content=make_example_pdf())
    assert response.status_code == 201
    wrong = client.put("/v1/documents", headers=headers, content=LINE)
    assert wrong.json()["code"] == "DIGEST_MISMATCH"


def test_the_example_moment_is_one() -> None:
    moment = datetime.fromisoformat(VERIFICATION["verification"]["verified_at"])
    assert moment.tzinfo == UTC


PATHS: dict[str, dict[str, Any]] = describe_service()["paths"]
RESPONSES = {
    f"{method} {path} {status}": response
    for path, item in PATHS.items()
    for method, operation in item.items()
    for status, response in operation["responses"].items()
}
#: Every module of the folder, so that a shape is found wherever it stands.
WIRE = [import_module(each.name) for each in walk_packages(wire.__path__, f"{wire.__name__}.")]
MODELS = {
    name: model
    for module in WIRE
    for name, model in vars(module).items()
    if isinstance(model, type) and issubclass(model, BaseModel)
}


def _list_examples(content: dict[str, Any]) -> list[Any]:
    single = [content["example"]] if "example" in content else []
    return single + [each["value"] for each in content.get("examples", {}).values()]


@pytest.mark.parametrize("name", RESPONSES)
def test_every_json_response_has_a_whole_example_of_its_shape(name: str) -> None:
    for media_type, content in RESPONSES[name].get("content", {}).items():
        if not media_type.endswith("json"):
            continue
        found = _list_examples(content)
        assert found, media_type
        model = MODELS[content["schema"]["$ref"].rpartition("/")[2]]
        for example in found:
            read = model.model_validate_json(json.dumps(example), strict=True)
            # Nothing that the shape does not name, and nothing of it left out.
            shown = read.model_dump(mode="json", by_alias=True, exclude_unset=True)
            assert shown == example


@pytest.mark.parametrize("name", [name for name in RESPONSES if name[-3:] < "300"])
def test_every_other_response_has_an_example_and_one_of_bytes_has_a_name(name: str) -> None:
    for media_type, content in RESPONSES[name].get("content", {}).items():
        assert any(_list_examples(content)), media_type
        if content.get("schema", {}).get("format") == "binary":
            assert all(each["summary"] for each in content["examples"].values()), media_type


def test_the_examples_of_sources_are_those_of_the_types_that_are_kept() -> None:
    assert set(files.SOURCES) == set(SOURCE_TYPES)


def test_the_examples_that_are_no_json_begin_like_what_the_service_answers(
    client: TestClient,
) -> None:
    client.put("/v1/documents", params=PUT_QUERY, content=make_example_pdf())
    made = post_answer(client, EXAMPLE).json()["verification_id"]
    source = "/v1/documents/{ref}/source"
    page = "/v1/documents/{ref}/pages/{page}.png"
    for path, address in (
        (source, source.format(ref="supply-agreement")),
        (page, page.format(ref="supply-agreement", page=1)),
        ("/v1/log/tile/{path}", "/v1/log/tile/entries/000.p/3"),
        ("/v1/audit/export", f"/v1/audit/export?verification_id={made}"),
    ):
        answer = client.get(address)
        assert answer.status_code == 200, address
        kind = answer.headers["content-type"]
        (example,) = _list_examples(RESPONSES[f"get {path} 200"]["content"][kind])
        shown = example.removesuffix("…").encode("latin-1")
        assert answer.content.startswith(shown), address
    metrics = client.get("/metrics").text
    assert files.METRICS in metrics
    proof = client.get(f"/v1/verifications/{made}/receipt.tlog-proof").text
    assert [len(line.split()) for line in proof.splitlines()] == [
        len(line.split()) for line in files.PROOF.splitlines()
    ]


@pytest.mark.parametrize("name", [name for name in RESPONSES if name[-3:] > "399"])
def test_every_example_problem_has_the_status_of_its_code(name: str) -> None:
    kinds = {kind.code: kind for kind in _walk(SpanproofError)}
    (content,) = RESPONSES[name]["content"].values()
    for code, example in content["examples"].items():
        body = example["value"]
        assert body["code"] == code
        assert f"{body['status']}" == name[-3:]
        if code != SpanproofError.code:
            assert find_status(kinds[code]) == body["status"]


def _walk(kind: type[SpanproofError]) -> list[type[SpanproofError]]:
    return [kind, *(each for child in kind.__subclasses__() for each in _walk(child))]


def test_the_example_problems_are_what_the_service_answers(client: TestClient) -> None:
    wrong = {"answer": "a", "citations": [{"anchor": "1", "doc_id": "a", "span": {"text": "a"}}]}
    missing = PROBLEM_EXAMPLES["VERIFICATION_NOT_FOUND"]
    for response in (
        client.get("/v1/documents/nda-7"),
        client.get("/v1/documents?limit=201"),
        client.put("/v1/documents", content=make_encrypted_pdf()),
        _announce(client, "put", "/v1/documents", 104857601),
        client.get(missing["instance"]),
        post_answer(client, wrong),
        _announce(client, "post", "/v1/verifications", 8388609),
    ):
        body = response.json()
        assert body | {"request_id": ""} == PROBLEM_EXAMPLES[body["code"]] | {"request_id": ""}


def _announce(client: TestClient, method: str, path: str, size: int) -> Any:
    return client.request(method, path, headers={"Content-Length": str(size)}, content=b"x")


def test_the_request_for_a_document_is_described_by_examples() -> None:
    operation = PATHS["/v1/documents"]["put"]
    assert operation["requestBody"]["description"]
    for content in operation["requestBody"]["content"].values():
        assert content["schema"]["format"] == "binary"
        assert content["example"]
    for parameter in operation["parameters"]:
        assert parameter["schema"].get("examples") or parameter.get("examples"), parameter["name"]


def test_the_parts_of_the_service_answer_in_the_shape_of_their_examples(
    client: TestClient,
) -> None:
    for path, example in (
        ("/healthz", HEALTH),
        ("/readyz", READY),
        ("/version", VERSION),
    ):
        answer = client.get(path).json()
        assert answer.keys() == example.keys()
        if path == "/readyz":
            names = [check["name"] for check in answer["checks"]]
            assert names == [check["name"] for check in READY["checks"]]
