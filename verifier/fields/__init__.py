"""Field attribution: which fields of a structured context an answer draws on, and how we know."""

from spanproof.verifier.fields.attribution import FieldAttribution, FieldReport, attribute_fields
from spanproof.verifier.fields.context import Context, snapshot_context, visible_context
from spanproof.verifier.fields.prompting import list_citable_fields, write_field_list
from spanproof.verifier.fields.registry import FieldPolicy, FieldRegistry
from spanproof.verifier.fields.report import report_to_json
from spanproof.verifier.fields.turn import Turn, build_turn, parse_turn

__all__ = [
    "Context",
    "FieldAttribution",
    "FieldPolicy",
    "FieldRegistry",
    "FieldReport",
    "Turn",
    "attribute_fields",
    "build_turn",
    "list_citable_fields",
    "parse_turn",
    "report_to_json",
    "snapshot_context",
    "visible_context",
    "write_field_list",
]
