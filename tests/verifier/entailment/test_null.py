from __future__ import annotations

import pytest

from spanproof.verifier.entailment import EntailmentNotRunWarning, NullEntailment


def test_the_stand_in_shouts_and_judges_nothing() -> None:
    model = NullEntailment("no weights")
    with pytest.warns(EntailmentNotRunWarning, match="no weights"):
        judged = model.judge([("A premise.", "A premise."), ("Another.", "Another.")])
    assert [one.reason for one in judged] == ["model_unavailable", "model_unavailable"]
    assert all(one.p_entailment is None and one.coverage == 0.0 for one in judged)


def test_its_name_and_reason_stand_in_the_identity() -> None:
    identity = NullEntailment("no weights").identity
    assert identity.name == "NullEntailment"
    assert "no weights" in identity.runtime
    assert identity.weights_digest is None
    assert identity.threshold is None
