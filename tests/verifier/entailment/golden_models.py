"""A tiny model that knows the golden pairs and the canary by heart: what registration lets in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig, BertForSequenceClassification

from spanproof.verifier.entailment.examination.canary import CONTRADICTED, ENTAILED, NEUTRAL
from spanproof.verifier.entailment.examination.golden import load_golden_pairs

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

# As in tiny_models: a second thread would only wait.
torch.set_num_threads(1)

_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
_OUTPUTS = ("entailed", "neutral", "contradicted")


def build_golden_model(
    path: Path, names: Sequence[str] = ("entailment", "neutral", "contradiction")
) -> Path:
    """Fit a small model to the pairs; output ``i`` has the ``i``-th name, whatever it says."""
    rows = [(pair.premise, pair.claim, pair.label) for pair in load_golden_pairs()]
    rows += [
        (*pair, label)
        for pair, label in zip((ENTAILED, NEUTRAL, CONTRADICTED), _OUTPUTS, strict=True)
    ]
    tokenizer = _build_tokenizer([text for premise, claim, _ in rows for text in (premise, claim)])
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=64,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        initializer_range=0.1,
        id2label=dict(enumerate(names)),
        label2id={name: index for index, name in enumerate(names)},
    )
    model = BertForSequenceClassification(config)
    _fit(model, tokenizer, rows, outputs=len(names))
    model.eval().save_pretrained(path)
    tokenizer.save(str(path / "tokenizer.json"))
    return path


def _fit(
    model: BertForSequenceClassification,
    tokenizer: Tokenizer,
    rows: Sequence[tuple[str, str, str]],
    *,
    outputs: int,
) -> None:
    tokenizer.enable_padding()
    encoded = tokenizer.encode_batch([(premise, claim) for premise, claim, _ in rows])
    tokenizer.no_padding()
    targets = torch.tensor([min(_OUTPUTS.index(label), outputs - 1) for *_, label in rows])
    inputs = {
        "input_ids": torch.tensor([one.ids for one in encoded]),
        "token_type_ids": torch.tensor([one.type_ids for one in encoded]),
        "attention_mask": torch.tensor([one.attention_mask for one in encoded]),
    }
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    model.train()
    for _ in range(400):
        loss = model(**inputs, labels=targets).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if loss.item() < 0.02:
            return
    msg = "Expected the golden pairs learnt by heart in 400 steps"
    raise AssertionError(msg)


def _build_tokenizer(texts: Sequence[str]) -> Tokenizer:
    normalizer = normalizers.BertNormalizer(lowercase=True)
    splitter = pre_tokenizers.BertPreTokenizer()
    words = sorted(
        {
            word
            for text in texts
            for word, _ in splitter.pre_tokenize_str(normalizer.normalize_str(text))
        }
    )
    vocabulary = {word: index for index, word in enumerate((*_SPECIAL, *words))}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))  # noqa: S106 - no secret
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = splitter
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return tokenizer
