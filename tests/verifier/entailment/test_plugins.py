"""Models of other packages, offered by an entry point of a real installed distribution."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from spanproof.core.digest import Digest
from spanproof.core.errors import ModelUnavailableError
from spanproof.core.span import Span
from spanproof.core.verdicts.model import Entailment, ModelIdentity
from spanproof.verifier.entailment.examination.canary import CONTRADICTED, ENTAILED
from spanproof.verifier.entailment.plugins import GuardedModel, find_entry_name, load_entry

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

CODE = """
from spanproof.core.digest import Digest
from spanproof.core.span import Span
from spanproof.core.verdicts.model import Entailment, ModelIdentity

class Rules:
    def __init__(self, replayable=True, digest=Digest("0" * 64)):
        self.identity = ModelIdentity(
            name="rules", weights_digest=digest, runtime="rules-1", calibration="none",
            threshold=0.5, labels=("entailed", "neutral", "contradicted"), replayable=replayable,
        )
        self.closed = 0

    def judge(self, pairs):
        return [self._say(premise, claim) for premise, claim in pairs]

    def confirm(self, pairs):
        return self.judge(pairs)

    def close(self):
        self.closed += 1

    def _say(self, premise, claim):
        shares = (0.0, 1.0, 0.0)
        if "Nobody" in claim:
            shares = (0.0, 0.0, 1.0)
        elif set(claim.rstrip(".").split()) <= set(premise.rstrip(".").split()):
            shares = (1.0, 0.0, 0.0)
        return Entailment(
            reason=None, p_entailment=shares[0], p_neutral=shares[1], p_contradiction=shares[2],
            windows=1, coverage=1.0, evidence=Span(0, len(premise)),
        )

def rules():
    return Rules()

def oracle():
    return Rules(replayable=False, digest=None)

def nameless():
    return Rules(digest=None)

def broken():
    raise ZeroDivisionError("no model today")

def nothing():
    return object()

class Contrary(Rules):
    def _say(self, premise, claim):
        return super()._say(premise, "Nobody")

def contrary():
    return Contrary()
"""
NAMES = ("rules", "oracle", "nameless", "broken", "nothing", "contrary")


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Puts a distribution of that name on the path, as an installer leaves it."""

    def install(name: str) -> Path:
        site = tmp_path / name
        information = site / f"{name}-1.5.dist-info"
        information.mkdir(parents=True)
        (site / f"{name}.py").write_text(CODE)
        (information / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.5\n"
        )
        points = "".join(f"{point} = {name}:{point}\n" for point in (*NAMES, "absent"))
        (information / "entry_points.txt").write_text(f"[spanproof.entailment]\n{points}")
        monkeypatch.syspath_prepend(site)
        return site

    return install


def test_the_setting_names_an_entry_point_by_its_prefix() -> None:
    assert find_entry_name("entry:rules") == "rules"
    assert find_entry_name("/models/rules") is None


def test_a_model_of_another_package_is_loaded_and_named(installed: Callable[[str], Path]) -> None:
    installed("other_rules")
    model = load_entry("rules")
    assert model.identity.name == "rules"
    assert model.identity.runtime == "entry-rules+other_rules@1.5+rules-1+gate-1"
    entailed, contradicted = model.judge([ENTAILED, CONTRADICTED])
    assert (entailed.p_entailment, contradicted.p_contradiction) == (1.0, 1.0)
    assert model.confirm([ENTAILED]) == [entailed]


def test_a_model_that_cannot_be_asked_again_says_so_in_its_runtime(
    installed: Callable[[str], Path],
) -> None:
    installed("other_oracle")
    identity = load_entry("oracle").identity
    assert not identity.replayable
    assert identity.runtime.endswith("+non_replayable")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nowhere", "Expected one entry point 'nowhere'"),
        ("absent", "AttributeError"),
        ("broken", "no model today"),
        ("nothing", "AttributeError"),
        ("nameless", "Expected a weights digest"),
        ("contrary", "told apart"),
    ],
)
def test_an_entry_point_that_gives_no_usable_model_is_refused(
    installed: Callable[[str], Path], name: str, message: str
) -> None:
    installed("other_models")
    with pytest.raises(ModelUnavailableError, match=message):
        load_entry(name)


def test_two_packages_that_offer_one_name_are_refused(installed: Callable[[str], Path]) -> None:
    installed("first_rules")
    installed("second_rules")
    with pytest.raises(ModelUnavailableError, match="got 2 of"):
        load_entry("rules")


class Scripted:
    """Answers with what it is given, however wrong."""

    identity = ModelIdentity(
        name="scripted",
        weights_digest=Digest("1" * 64),
        runtime="test",
        calibration="none",
        threshold=None,
    )

    def __init__(self, answers: Callable[[int], list[Entailment]]) -> None:
        self._answers = answers

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
        return self._answers(len(pairs))

    def confirm(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
        return self.judge(pairs)


def say(
    shares: tuple[float, float, float] = (0.8, 0.1, 0.1), *, end: int = 1, coverage: float = 1.0
) -> Entailment:
    return Entailment(
        reason=None,
        p_entailment=shares[0],
        p_neutral=shares[1],
        p_contradiction=shares[2],
        windows=1,
        coverage=coverage,
        evidence=Span(0, end),
    )


def fail(count: int) -> list[Entailment]:
    msg = f"no answer to {count}"
    raise RuntimeError(msg)


@pytest.mark.parametrize(
    "answers",
    [
        fail,
        lambda count: [say()] * (count + 1),
        lambda _: [],
        lambda count: [say((float("nan"), 0.5, 0.5))] * count,
        lambda count: [say((1.5, -0.5, 0.0))] * count,
        lambda count: [say((0.9, 0.9, 0.9))] * count,
        lambda count: [say(end=10_000)] * count,
        lambda count: [say(coverage=float("nan"))] * count,
        lambda count: ["ENTAILED"] * count,
    ],
)
def test_an_unsound_answer_is_a_model_error(answers: Callable[[int], list[Entailment]]) -> None:
    guarded = GuardedModel(Scripted(answers), entry="test")
    with pytest.raises(ModelUnavailableError, match="Expected"):
        guarded.judge([ENTAILED, CONTRADICTED])


def test_what_nobody_can_read_is_never_asked() -> None:
    asked: list[int] = []

    def answer(count: int) -> list[Entailment]:
        asked.append(count)
        return [say()] * count

    guarded = GuardedModel(Scripted(answer), entry="test")
    pairs = [("", "A."), ("A.", " "), ("\x00\x01", "A."), ("A man.", "\ud800"), ENTAILED]
    reasons = [entailment.reason for entailment in guarded.judge(pairs)]
    assert reasons == ["no_premise", "no_claim", "premise_not_text", "claim_not_text", None]
    assert asked == [1]


def test_closing_closes_what_can_be_closed(installed: Callable[[str], Path]) -> None:
    installed("closing_rules")
    model = load_entry("rules")
    model.close()
    assert vars(model)["_model"].closed == 1
    GuardedModel(Scripted(fail), entry="test").close()
