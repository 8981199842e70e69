"""Where a folder's graph comes from: brought along, kept from an earlier export, or exported now.

What a graph is made of and how is known here without torch, so that one is found without it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.verifier.entailment.models.derived_files import find_or_make
from spanproof.verifier.entailment.models.graph import Graph
from spanproof.verifier.entailment.models.shipped_graph import find_shipped

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from spanproof.verifier.entailment.models.folder import ModelFolder

    #: Makes the graph of a folder in one form; it alone needs torch.
    Exporter = Callable[[ModelFolder, str], bytes]

#: Raised whenever the same weights would give another graph.
FORMAT = 1
OPSET = 17  # the first with LayerNormalization as one operator
CLS_ONLY, FULL = "cls-only", "full"
#: Families whose last layer may be cut to the first token (``cls_only`` knows how).
_CLS_ONLY_TYPES = frozenset({"bert", "camembert", "electra", "roberta", "xlm-roberta"})


def find_graph(
    folder: ModelFolder, *, cache: Path | None, export: Exporter, form: str | None = None
) -> Graph:
    """The folder's graph in the family's own form, unless another is asked for.

    Raises ModelUnavailableError where the folder's own is not what it says, and where a graph must
    be exported and cannot be, or cannot be kept.
    """
    chosen = form or choose_form(folder)
    recipe = write_recipe(folder, form=chosen)
    shipped = find_shipped(folder, recipe=recipe)
    if shipped is not None:
        return shipped
    kept = find_or_make(cache, recipe=recipe, make=lambda: export(folder, chosen))
    return Graph(structure=kept.content, digest=kept.digest, form=chosen)


def choose_form(folder: ModelFolder) -> str:
    """The form that computes least for a model of this family."""
    return CLS_ONLY if folder.model_type in _CLS_ONLY_TYPES else FULL


def write_recipe(folder: ModelFolder, *, form: str) -> dict[str, str | int]:
    """Everything that decides which graph is made of the folder."""
    return {
        "kind": "onnx-fp32",
        "format": FORMAT,
        "opset": OPSET,
        "form": form,
        "weights_sha256": folder.weights_digest.hex,
        "config_sha256": folder.config_digest.hex,
    }
