"""Complete responses of field attribution for the OpenAPI document; a test recomputes them."""

from __future__ import annotations

from typing import Any

FIELDS: dict[str, Any] = {
    "clean_text": "The ticket is in progress and its risk is high. "
    "About 85% of the budget is spent.",
    "role": "assistant",
    "parsed": True,
    "reason": None,
    "attribution_source": "mixed",
    "sections": [
        {
            "name": "ticket",
            "completeness": 0.9,
            "attribution_source": "mixed",
            "fields": [
                {
                    "path": "ticket.status",
                    "field": "status",
                    "type": "enum",
                    "value": "in_progress",
                    "match_confidence": 1.0,
                    "match_method": "marker",
                    "positions": [
                        {"raw": {"start": 26, "end": 38}, "clean": {"start": 25, "end": 25}}
                    ],
                    "markers": 1,
                    "self_reported": True,
                    "value_match": {
                        "match_confidence": 0.85,
                        "match_method": "enum_spaced",
                        "positions": [
                            {"raw": {"start": 14, "end": 25}, "clean": {"start": 14, "end": 25}}
                        ],
                        "places": 1,
                        "items_named": [],
                        "items_total": None,
                        "capped": None,
                    },
                },
                {
                    "path": "ticket.risk_level",
                    "field": "risk_level",
                    "type": "enum",
                    "value": "high",
                    "match_confidence": 0.95,
                    "match_method": "enum",
                    "positions": [
                        {"raw": {"start": 55, "end": 59}, "clean": {"start": 42, "end": 46}}
                    ],
                    "markers": 0,
                    "self_reported": False,
                    "value_match": {
                        "match_confidence": 0.95,
                        "match_method": "enum",
                        "positions": [
                            {"raw": {"start": 55, "end": 59}, "clean": {"start": 42, "end": 46}}
                        ],
                        "places": 1,
                        "items_named": [],
                        "items_total": None,
                        "capped": None,
                    },
                },
                {
                    "path": "ticket.spent",
                    "field": "spent",
                    "type": "numeric",
                    "value": 0.85,
                    "match_confidence": 0.85,
                    "match_method": "percent",
                    "positions": [
                        {"raw": {"start": 67, "end": 70}, "clean": {"start": 54, "end": 57}}
                    ],
                    "markers": 0,
                    "self_reported": False,
                    "value_match": {
                        "match_confidence": 0.85,
                        "match_method": "percent",
                        "positions": [
                            {"raw": {"start": 67, "end": 70}, "clean": {"start": 54, "end": 57}}
                        ],
                        "places": 1,
                        "items_named": [],
                        "items_total": None,
                        "capped": None,
                    },
                },
            ],
        }
    ],
    "below_threshold": [],
    "dropped": [
        {
            "prefix": "T",
            "field": "owner",
            "code": "UNKNOWN_FIELD",
            "position": {"raw": {"start": 95, "end": 106}, "clean": {"start": 81, "end": 81}},
        }
    ],
    "hidden_sections": [],
    "over_cited": True,
    "density": {"markers": 2, "tokens": 17},
    "drift": {"unknown": 1, "hidden": 0, "ambiguous": 0, "empty": 0, "duplicates": 0},
    "response_sha256": "sha256:44763912e524d185c32f29e172769f0530c7f4c25ed5e7094cf558cd3900eb3e",
    "snapshot": {
        "sha256": "sha256:10d30bab423e02e0073109e38690dee606086eaade01287925f1d6d4a507364b",
        "text": "ticket.status: in_progress\nticket.risk_level: high\nticket.spent: 0.85\n",
    },
}
FIELD_CALIBRATION: dict[str, Any] = {
    "labelled_sha256": "sha256:a4dd5170636e1fa91b3af34700d2f4dc38be790902d47d48f9aaedaca18f4fc6",
    "turns": 2,
    "labels": 5,
    "overall": {
        "labels": 5,
        "is_enough": False,
        "true_positives": 3,
        "false_positives": 0,
        "false_negatives": 0,
        "true_negatives": 2,
        "agreement": {"value": 1.0, "low": 0.565518, "high": 1.0, "hits": 5, "total": 5},
        "precision": {"value": 1.0, "low": 0.438503, "high": 1.0, "hits": 3, "total": 3},
        "recall": {"value": 1.0, "low": 0.438503, "high": 1.0, "hits": 3, "total": 3},
        "kappa": {"value": 1.0, "low": 1.0, "high": 1.0},
    },
    "types": {
        "enum": {
            "labels": 3,
            "is_enough": False,
            "true_positives": 2,
            "false_positives": 0,
            "false_negatives": 0,
            "true_negatives": 1,
            "agreement": {"value": 1.0, "low": 0.438503, "high": 1.0, "hits": 3, "total": 3},
            "precision": {"value": 1.0, "low": 0.34238, "high": 1.0, "hits": 2, "total": 2},
            "recall": {"value": 1.0, "low": 0.34238, "high": 1.0, "hits": 2, "total": 2},
            "kappa": {"value": 1.0, "low": 1.0, "high": 1.0},
            "threshold": {
                "value": 0.85,
                "low": 0.85,
                "high": 0.85,
                "precision": {"value": 1.0, "low": 0.34238, "high": 1.0, "hits": 2, "total": 2},
                "recall": {"value": 1.0, "low": 0.34238, "high": 1.0, "hits": 2, "total": 2},
            },
        },
        "numeric": {
            "labels": 2,
            "is_enough": False,
            "true_positives": 1,
            "false_positives": 0,
            "false_negatives": 0,
            "true_negatives": 1,
            "agreement": {"value": 1.0, "low": 0.34238, "high": 1.0, "hits": 2, "total": 2},
            "precision": {"value": 1.0, "low": 0.206549, "high": 1.0, "hits": 1, "total": 1},
            "recall": {"value": 1.0, "low": 0.206549, "high": 1.0, "hits": 1, "total": 1},
            "kappa": {"value": 1.0, "low": 1.0, "high": 1.0},
            "threshold": {
                "value": 0.85,
                "low": 0.85,
                "high": 0.85,
                "precision": {"value": 1.0, "low": 0.206549, "high": 1.0, "hits": 1, "total": 1},
                "recall": {"value": 1.0, "low": 0.206549, "high": 1.0, "hits": 1, "total": 1},
            },
        },
    },
    "marker": {
        "labels": 5,
        "is_enough": False,
        "true_positives": 1,
        "false_positives": 0,
        "false_negatives": 2,
        "true_negatives": 2,
        "agreement": {"value": 0.6, "low": 0.230724, "high": 0.882379, "hits": 3, "total": 5},
        "precision": {"value": 1.0, "low": 0.206549, "high": 1.0, "hits": 1, "total": 1},
        "recall": {"value": 0.333333, "low": 0.061492, "high": 0.79234, "hits": 1, "total": 3},
        "kappa": {"value": 0.285714, "low": -0.250932, "high": 0.822361},
    },
    "policy": {"thresholds": {"enum": 0.85, "numeric": 0.85}},
    "interval": {"level": 0.95, "shares": "wilson", "threshold": "bootstrap", "draws": 400},
}
