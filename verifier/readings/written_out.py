"""What a premise says in a form that a claim may not have: each such sentence by itself.

"A, B and C cost 1, 2 and 3, respectively" says that B costs 2; "No dogs are allowed" that dogs are
not; a lead-in and one item below it are one sentence. A claim is compared with such a sentence as
with one of the premise. Only what any reader takes from the form alone is written out: a sentence
that is quoted, denied, asked or put under a condition says none of it.
"""

from __future__ import annotations

from itertools import chain

from spanproof.verifier.readings.changes import write_changes
from spanproof.verifier.readings.denials import write_denials
from spanproof.verifier.readings.items import write_items
from spanproof.verifier.readings.members import write_members
from spanproof.verifier.readings.pairs import write_pairs
from spanproof.verifier.readings.sentences import is_governed, split_flat
from spanproof.verifier.readings.subjects import write_subjects

#: A premise of more characters is a passage; and so many of its sentences are enough.
_MAX_CHARACTERS, _MAX_WRITTEN = 20_000, 200


def write_out(premise: str, lines: str = "") -> tuple[str, ...]:
    """The sentences that a premise says besides its own words, each once.

    ``lines`` is the premise with its line ends.
    """
    if len(premise) > _MAX_CHARACTERS:
        return ()
    sentences = split_flat(premise)
    found = chain(
        write_items(lines),
        write_subjects(sentences),
        *(
            write(sentence)
            for sentence in sentences
            if not is_governed(sentence)
            for write in (write_pairs, write_members, write_denials, write_changes)
        ),
    )
    return tuple(dict.fromkeys(found))[:_MAX_WRITTEN]
