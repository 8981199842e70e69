"""Events name their kind and what they are about."""

from __future__ import annotations

import json

import pytest

from spanproof.core.digest import Digest
from spanproof.receipt.statement.event_statement import write_event
from spanproof.receipt.statement.events import (
    Change,
    ConfigChange,
    Event,
)
from tests.receipt.event_samples import DIGEST, EVENTS, HEAD, OTHER

SUBJECTS: dict[str, tuple[tuple[str, Digest], ...]] = {
    "intake": (("request", DIGEST),),
    "intake by a key": (("request", DIGEST),),
    "error": (("intake-leaf", Digest(bytes(range(32)).hex())),),
    "config-change": (
        ("policy:balanced", DIGEST),
        ("pipeline:pymupdf@2.0+canon-1+flags-0/1", OTHER),
        ("weights", DIGEST),
    ),
    "key-event": (("key", DIGEST),),
    "key-event of a loss": (("key", DIGEST),),
    "tombstone": (("statement", DIGEST),),
    "erasure": (("document", DIGEST), ("content-0", DIGEST), ("content-1", OTHER)),
    "erasure of words": (("content-0", OTHER),),
    "result-superseded": (("result-leaf", Digest("00" * 32)),),
    "fsck-result": (("root", Digest("00" * 32)),),
    "decision": (("verdicts", DIGEST),),
    "acknowledgement": (("alarm", OTHER),),
    "sampling-epoch-opened": (("commitment", DIGEST), ("plan", OTHER)),
    "answers-submitted": (("answers", OTHER),),
    "sampling-epoch-closed": (("commitment", DIGEST), ("answers", OTHER)),
    "shard": (("old-root", Digest("00" * 32)),),
}


@pytest.mark.parametrize("name", EVENTS)
def test_an_event_names_its_kind_and_its_subjects_as_documented(name: str) -> None:
    event = EVENTS[name]
    assert event.subjects == SUBJECTS[name]
    kind = name.split(" ", maxsplit=1)[0]
    assert kind == event.KIND
    value = json.loads(write_event(event))
    assert value["predicateType"] == f"urn:spanproof:attestation:{kind}:v1"
    assert value["predicate"]["schema_version"] == 1


def test_of_a_change_the_new_digest_is_the_subject_and_else_the_old_one() -> None:
    for old, new, subject in ((DIGEST, OTHER, OTHER), (DIGEST, None, DIGEST), (None, OTHER, OTHER)):
        change = ConfigChange(**HEAD, changes=(Change("weights", old, new),))
        assert change.subjects == (("weights", subject),)
    assert ConfigChange(**HEAD, changes=(Change("weights", None, None),)).subjects == ()


def test_an_event_without_a_subject_is_no_event() -> None:
    with pytest.raises(TypeError, match="abstract"):
        Event(**HEAD)  # type: ignore[abstract] # that it cannot be made is the point
