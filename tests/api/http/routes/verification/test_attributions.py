"""Post-hoc attribution over HTTP: both of its forms have the shape that the document declares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanproof.api.http.wire.attribution import (
    EXAMPLE_IN,
    AttributionReportOut,
    CompactAttributionOut,
)

if TYPE_CHECKING:
    from fastapi.testclient import TestClient


def post(client: TestClient, **query: Any) -> Any:
    response = client.post("/v1/attributions", params=query, json=EXAMPLE_IN)
    assert response.status_code == 200, response.text
    return response.json()


def test_the_compact_form_is_the_report_without_its_words(client: TestClient) -> None:
    report = AttributionReportOut.model_validate(post(client), strict=True)
    compact = CompactAttributionOut.model_validate(post(client, compact=True), strict=True)
    assert compact.sources == report.sources
    places = [(each.index, each.start, each.end, each.sources) for each in report.references]
    assert places
    assert places == [
        (each.index, each.startIndex, each.endIndex, each.sourceIds) for each in compact.references
    ]


def test_both_forms_are_declared(client: TestClient) -> None:
    schemas = client.get("/openapi.json").json()["components"]["schemas"]
    declared = {each["$ref"].rpartition("/")[2] for each in schemas["AttributedOut"]["anyOf"]}
    assert declared == {"AttributionReportOut", "CompactAttributionOut"}
