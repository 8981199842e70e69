"""LlamaIndex: tool outputs and source nodes into what ``collect_sources()`` collects.

Needs ``llama-index-core``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanproof.core.plain_json import to_plain_json

if TYPE_CHECKING:
    from collections.abc import Iterable

    from llama_index.core.schema import NodeWithScore
    from llama_index.core.tools import ToolOutput

    from spanproof.verifier.attribute.collecting import CollectedSources


def record_tool_output(collected: CollectedSources, output: ToolOutput) -> bool:
    """Record the output of a tool; False for an error, which is not a source."""
    if output.is_error:
        return False
    raw = output.raw_output
    nodes = getattr(raw, "source_nodes", None)
    if nodes:
        # A query engine's answer is the model's own words: its sources are the nodes.
        record_nodes(collected, nodes, tool_name="query_rag")
        return True
    value = to_plain_json(raw) if isinstance(raw, str | list | dict) else output.content
    collected.record(output.tool_name, value, parameters=to_plain_json(output.raw_input))
    return True


def record_nodes(
    collected: CollectedSources, nodes: Iterable[NodeWithScore], *, tool_name: str = "query_rag"
) -> int:
    """Record retrieved nodes as the output of one query; how many there were."""
    rows: list[dict[str, Any]] = [
        {
            "text": each.node.get_content(),
            "id": each.node.node_id,
            "score": each.score,
            "metadata": to_plain_json(each.node.metadata),
        }
        for each in nodes
    ]
    collected.record(tool_name, rows)
    return len(rows)
