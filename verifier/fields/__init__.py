"""Field attribution: which fields of a structured context an answer draws on, and how we know."""

from verifier.fields.attribution import FieldAttribution, FieldReport, attribute_fields
from verifier.fields.context import Context, snapshot_context, visible_context
from verifier.fields.prompting import list_citable_fields, write_field_list
from verifier.fields.registry import FieldPolicy, FieldRegistry
from verifier.fields.report import report_to_json
from verifier.fields.turn import Turn, build_turn, parse_turn

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
