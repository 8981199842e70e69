"""What a graph is made of and how: known without torch, so that a kept one is found without it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanproof.verifier.entailment.models.derived_files import Artefact, find_artefact

if TYPE_CHECKING:
    from pathlib import Path

    from spanproof.verifier.entailment.models.folder import ModelFolder

#: Raised whenever the same weights would give another graph.
FORMAT = 1
OPSET = 17  # the first with LayerNormalization as one operator
CLS_ONLY, FULL = "cls-only", "full"
#: Families whose last layer may be cut to the first token (``cls_only`` knows how).
_CLS_ONLY_TYPES = frozenset({"bert", "camembert", "electra", "roberta", "xlm-roberta"})


def find_graph(
    folder: ModelFolder, *, cache: Path | None, form: str | None = None
) -> tuple[Artefact, str]:
    """The folder's graph, exported at first use, and its form.

    Raises ModelUnavailableError where it must be exported and cannot be, or cannot be kept.
    """
    chosen = form or (CLS_ONLY if folder.model_type in _CLS_ONLY_TYPES else FULL)

    def make() -> bytes:
        # torch and transformers take seconds to import: a kept graph needs neither.
        from spanproof.verifier.entailment.export.graph import export_graph

        return export_graph(folder, form=chosen)

    recipe: dict[str, str | int] = {
        "kind": "onnx-fp32",
        "format": FORMAT,
        "opset": OPSET,
        "form": chosen,
        "weights_sha256": folder.weights_digest.hex,
        "config_sha256": folder.config_digest.hex,
    }
    return find_artefact(cache, recipe=recipe, make=make), chosen
