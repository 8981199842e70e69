"""Tiny BERT folders made on the spot: real files, real loading, next to no weights."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig, BertForSequenceClassification

from spanproof.verifier.entailment.backends.onnx import OnnxBackend
from spanproof.verifier.entailment.examination.canary import CONTRADICTED, ENTAILED, NEUTRAL
from spanproof.verifier.entailment.export.graph import export_graph

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from spanproof.verifier.entailment.models.folder import ModelFolder

# Of models so small a second thread only waits for the first, and burns a core while it does.
torch.set_num_threads(1)

THREE_WAY = ("entailment", "neutral", "contradiction")
_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")


def build_tokenizer() -> Tokenizer:
    """One token a word of the canary, one for any other word."""
    words = sorted({word for pair in (ENTAILED, CONTRADICTED, NEUTRAL) for word in _split(pair)})
    vocabulary = {word: index for index, word in enumerate((*_SPECIAL, *words))}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))  # noqa: S106
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return tokenizer


def build_folder(
    path: Path, names: Sequence[str] = THREE_WAY, *, positions: int = 512, seed: int = 0
) -> Path:
    """A random model with these label names."""
    torch.manual_seed(seed)
    tokenizer = build_tokenizer()
    config = BertConfig(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=positions,
        initializer_range=0.2,  # at the usual 0.02 so small a model hardly tells words apart
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        id2label=dict(enumerate(names)),
        label2id={name: index for index, name in enumerate(names)},
    )
    BertForSequenceClassification(config).save_pretrained(path)
    tokenizer.save(str(path / "tokenizer.json"))
    return path


def teach_canary(path: Path) -> Path:
    """Fit the folder's three-way model to the canary pairs, so that it may be loaded."""
    torch.manual_seed(1)
    tokenizer = Tokenizer.from_file(str(path / "tokenizer.json"))
    model = BertForSequenceClassification.from_pretrained(path).train()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    worst = 1.0
    while worst > 0.1:  # nats: each of the three is then nearly sure
        worst = 0.0
        for target, (premise, claim) in enumerate((ENTAILED, NEUTRAL, CONTRADICTED)):
            encoding = tokenizer.encode(premise, claim)
            output = model(
                input_ids=torch.tensor([encoding.ids]),
                token_type_ids=torch.tensor([encoding.type_ids]),
                labels=torch.tensor([target]),
            )
            optimizer.zero_grad()
            output.loss.backward()
            optimizer.step()
            worst = max(worst, output.loss.item())
    model.eval().save_pretrained(path)
    return path


def reorder_labels(source: Path, target: Path, order: Sequence[int], names: Sequence[str]) -> Path:
    """The same model with its outputs in another order: output ``i`` is the old ``order[i]``."""
    model = BertForSequenceClassification.from_pretrained(source)
    rows = torch.tensor(list(order))
    with torch.no_grad():
        model.classifier.weight.copy_(model.classifier.weight[rows].clone())
        model.classifier.bias.copy_(model.classifier.bias[rows].clone())
    model.config.id2label = dict(enumerate(names))
    model.config.label2id = {name: index for index, name in enumerate(names)}
    model.save_pretrained(target)
    (target / "tokenizer.json").write_bytes((source / "tokenizer.json").read_bytes())
    return target


def load_onnx(folder: ModelFolder, **rest: Any) -> OnnxBackend:
    """The canonical backend of the folder, its graph exported where it brings none."""
    return OnnxBackend.load(folder, export=export_graph, **rest)


def edit_json(path: Path, **changes: Any) -> None:
    """Set fields of a JSON file, made when it is not there."""
    value = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps(value | changes))


def _split(pair: tuple[str, str]) -> list[str]:
    return [word for text in pair for word in text.lower().replace(".", " .").split()]
