"""What is no text, or none of the model's languages, is not run; everything else is read."""

from __future__ import annotations

import gzip
import json
import os
import shutil
from typing import TYPE_CHECKING

import pytest

from spanproof.core.errors import ModelUnavailableError
from spanproof.verifier.entailment.encoding.readable_input import (
    MAX_CLAIM,
    MAX_PREMISE,
    InputGate,
    is_text,
)
from spanproof.verifier.entailment.loading import embedded_folder, open_model
from spanproof.verifier.entailment.models.folder import check_folder, read_languages
from tests.verifier.entailment.foreign import FOREIGN, OTHER_SCRIPTS
from tests.verifier.entailment.tiny_models import build_folder, edit_json

if TYPE_CHECKING:
    from pathlib import Path

ENGLISH = InputGate(languages=("en",))
SENTENCE = "The supplier shall deliver the goods within four business days."
BINARY = {
    "controls": "\x00\x01\x02PNG\x89\x1a\x05IHDR\x00\x00",
    "replacement characters": "\ufffd\ufffd\ufffdabc\ufffd",
    "half a surrogate pair": "A man\ud83d is playing.",
    "base64": "QUJDREVGR0g" * 60,
    "hexadecimal": "9f86d081884c7d65" * 40,
    "unassigned": "\u0378\u0379 and \U000e0fff",
}
READABLE = {
    "code": "def add(left: int, right: int) -> int:\n    return left + right\n\nclass Foo(Bar):\n"
    "    def __init__(self, x):\n        self.x = x\n        import os; from sys import argv",
    "java": 'public static void main(String[] args) { System.out.println("hello"); }',
    "a query": "SELECT id, name FROM users WHERE created_at > '2024-01-01' ORDER BY name LIMIT 10;",
    "a table": "Region | Q1 | Q2\nEMEA | 12.5 | 13.1\nAPAC | 9.1 | 8.7\nTotal | 21.6 | 21.8",
    "a list of goods": "item quantity price total apples pears plums bread milk butter",
    "drugs": "aspirin ibuprofen paracetamol metformin atorvastatin omeprazole amlodipine",
    "species": "Escherichia coli, Staphylococcus aureus, klebsiella pneumoniae, pseudomonas "
    "aeruginosa, enterococcus faecalis, candida albicans",
    "names": "Emmanuel Macron, Angela Merkel, Pedro Sánchez, Giorgia Meloni, Ursula von der Leyen",
    "a formula": "E = mc²; ∑αβγ ≤ Δx, λ ≈ 1.5 × 10⁻³",
    "a quotation": 'The clause reads "Der Lieferant muss die Ware liefern" in the original.',
    "a short foreign phrase": "Zahlungsziel: 30 Tage netto",
    "an address": "J. Müller, Hauptstraße 5, 10115 Berlin, +49 30 123456",
    "a name in its own script": "Dawood Ibrahim (Marathi: दाऊद इब्राहीम कासकर) is a crime boss.",
    "headline": "Company profits fell sharply last quarter, analysts said Monday",
    "one stray control": "The invoice\x00 is due within thirty days of its receipt.",
    "nothing": "",
}


@pytest.mark.parametrize("text", BINARY.values(), ids=BINARY)
def test_bytes_are_no_claim_and_no_premise(text: str) -> None:
    gate = InputGate()
    assert gate.refuse_texts(SENTENCE, text) == "claim_not_text"
    assert gate.refuse_texts(text, SENTENCE) == "premise_not_text"


@pytest.mark.parametrize("encoding", ["latin-1", "utf-8", "utf-16"])
def test_random_bytes_are_no_text_in_any_encoding(encoding: str) -> None:
    assert not is_text(bytes(range(256)).decode(encoding, "replace") * 3)
    assert not is_text(os.urandom(4000).decode(encoding, "replace"))


@pytest.mark.parametrize("text", READABLE.values(), ids=READABLE)
def test_unusual_english_is_read(text: str) -> None:
    assert ENGLISH.refuse_texts(text, text) is None


@pytest.mark.parametrize("language", FOREIGN)
def test_other_languages_in_latin_letters_are_refused(language: str) -> None:
    sentences = FOREIGN[language]
    assert all(len(sentence.split()) >= 8 for sentence in sentences)
    pairs = list(zip(sentences, sentences[1:] + sentences[:1], strict=True))
    refused = [ENGLISH.refuse_texts(premise, claim) for premise, claim in pairs]
    assert sum(reason == "claim_language" for reason in refused) >= 0.9 * len(pairs)
    premises = [ENGLISH.refuse_texts(premise, SENTENCE) for premise in sentences]
    assert sum(reason == "premise_language" for reason in premises) >= 0.9 * len(sentences)


@pytest.mark.parametrize("text", OTHER_SCRIPTS.values(), ids=OTHER_SCRIPTS)
def test_other_scripts_are_refused(text: str) -> None:
    assert ENGLISH.refuse_texts(SENTENCE, text) == "claim_language"
    assert ENGLISH.refuse_texts(text, SENTENCE) == "premise_language"


@pytest.mark.parametrize("text", [*OTHER_SCRIPTS.values(), FOREIGN["German"][0]])
def test_a_model_that_declares_no_language_reads_all(text: str) -> None:
    assert InputGate().refuse_texts(text, text) is None


def test_a_model_reads_what_it_declares_and_nothing_else() -> None:
    gate = InputGate(languages=("de", "ru"))
    assert gate.refuse_texts(FOREIGN["German"][0], OTHER_SCRIPTS["Russian"]) is None
    assert gate.refuse_texts(FOREIGN["German"][0], FOREIGN["French"][0]) == "claim_language"


def test_english_development_pairs_are_read(test_data: Path) -> None:
    path = test_data / "nli" / "dev.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    assert len(rows) > 5000
    refused = [r for r in rows if ENGLISH.refuse_texts(r["premise"], r["hypothesis"]) is not None]
    assert len(refused) <= 0.001 * len(rows), [row["id"] for row in refused]


def test_what_is_huge_is_refused_before_it_is_tokenised() -> None:
    assert InputGate().refuse_texts(SENTENCE, "word " * MAX_CLAIM) == "claim_too_long"
    assert InputGate().refuse_texts("word " * MAX_PREMISE, SENTENCE) == "premise_too_long"


def test_the_embedded_model_declares_english() -> None:
    assert read_languages(embedded_folder()) == ("en",)


@pytest.fixture
def english(tmp_path: Path) -> Path:
    """A tiny model whose card declares English."""
    folder = build_folder(tmp_path / "english")
    edit_json(folder / "model_card.json", languages=["en"])
    return folder


@pytest.mark.parametrize(
    ("premise", "claim", "reason"),
    [
        ("", "A man is playing.", "no_premise"),
        (" \n\t\u2003", "A man is playing.", "no_premise"),
        ("A man is playing.", "  ", "no_claim"),
        ("A man is playing.", "\x00\x01\x02\x03", "claim_not_text"),
        ("\ud800", "A man is playing.", "premise_not_text"),
        (FOREIGN["Dutch"][0], "A man is playing.", "premise_language"),
        ("A man is playing.", FOREIGN["Italian"][3], "claim_language"),
        ("A man is playing.", "Zyx qwv plugh xyzzy.", "claim_unknown_tokens"),
        ("A man is playing.", "A man " * 20_000, "claim_too_long"),
        ("A man. " * 200_000, "A man is playing.", "premise_too_long"),
    ],
)
def test_the_model_does_not_run_what_it_cannot_read(
    english: Path, premise: str, claim: str, reason: str
) -> None:
    model = open_model(check_folder(english), runtime="torch", device="cpu")
    (entailment,) = model.judge([(premise, claim)])
    assert entailment.reason == reason
    assert entailment.p_entailment is None
    assert entailment.windows == 0
    assert "gate-1-en" in model.identity.runtime


def test_unknown_words_are_the_models_own_business_unless_its_card_says_what_it_reads(
    tmp_path: Path,
) -> None:
    model = open_model(check_folder(build_folder(tmp_path / "any")), runtime="torch", device="cpu")
    (entailment,) = model.judge([("A man is playing.", "Zyx qwv plugh xyzzy.")])
    assert entailment.reason is None


@pytest.mark.parametrize("languages", ["en", [1], {"en": True}])
def test_a_card_with_languages_that_are_no_list_is_refused(
    english: Path, tmp_path: Path, languages: object
) -> None:
    folder = shutil.copytree(english, tmp_path / "other")
    edit_json(folder / "model_card.json", languages=languages)
    with pytest.raises(ModelUnavailableError, match="languages"):
        check_folder(folder)
