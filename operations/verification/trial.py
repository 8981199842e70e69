"""An answer that is only tried out: judged by the store's documents, and nothing is kept of it.

No row, no leaf, no receipt, no metric, no event: a trial never counts among production answers.
Documents inside its payload are texts of the request; the store does not get them.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from spanproof.core.budget import spending
from spanproof.operations.documents.source_states import with_states
from spanproof.operations.indexes.facts import with_indexes
from spanproof.operations.verification.budget import make_budget
from spanproof.operations.verification.judging import list_documents
from spanproof.operations.verification.verify import require_answer_extent

if TYPE_CHECKING:
    from spanproof.core.verdicts.policy import Policy
    from spanproof.operations.context import Context
    from spanproof.verifier.formats.parsed import ParsedAnswer


def try_answer(
    context: Context, parsed: ParsedAnswer, policy: Policy, *, size: int
) -> dict[str, Any]:
    """The block as JSON, of a payload of ``size`` bytes; raise AnswerTooDenseError."""
    from spanproof.operations.verification.in_process import judge_texts, write_unkept
    from spanproof.verifier.identity.names import list_names

    require_answer_extent(context, parsed, size=size)
    now = datetime.now(UTC)
    hashes, names = list_documents(parsed.answer)
    names = list(dict.fromkeys([*names, *list_names(parsed.answer)]))
    library = context.store.documents.load_library(hashes, names)
    library = with_states(context, library, until=now)
    library = with_indexes(context, library, parsed.answer, until=now)
    with spending(make_budget(context.settings)):
        block = judge_texts(parsed, policy, context.model, library=library)
    # As it would be read from the store: plain lists and values.
    made: dict[str, Any] = json.loads(json.dumps(write_unkept(block)))
    return made
