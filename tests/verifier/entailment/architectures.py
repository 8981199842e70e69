"""Tiny checkpoints of every family that is taken: random weights, real tokenizers, real files.

Each family has the tokenizer that its public checkpoints come with (WordPiece, byte-level BPE or
Unigram, trained here on a few sentences) and its own way of laying out a pair.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import torch
import transformers
from tokenizers import (
    Regex,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

#: What the tokenizers are trained on; texts of the tests use other words too.
SENTENCES = (
    "The supplier shall deliver the goods within four business days of the order.",
    "Nobody may terminate this agreement without 30 days' written notice to the other party.",
    "A man is playing a guitar on a stage, and the audience is listening quietly.",
    "In 2024 revenue rose by 12.5 % to $3.4 million; costs fell from 1,500 to 1,200.",
    "The treatment did not reduce mortality among patients older than sixty-five years.",
)
SIZE = 32
_VOCABULARY = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """One family: its model class and settings, its tokenizer and what transformers calls that."""

    model: str
    tokenizer: Callable[[], Tokenizer]
    tokenizer_class: str
    special: Mapping[str, str]
    config: Mapping[str, Any]
    #: Positions that the position embeddings keep for padding.
    reserved: int = 0


def build_wordpiece() -> Tokenizer:
    """BERT's: lower case, pieces of words, ``[CLS] a [SEP] b [SEP]`` with types 0 and 1."""
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))  # noqa: S106 - a token, no secret
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    trainer = trainers.WordPieceTrainer(
        vocab_size=_VOCABULARY, special_tokens=special, show_progress=False
    )
    return _finish(tokenizer, trainer, "[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1")


def build_byte_bpe() -> Tokenizer:
    """RoBERTa's: bytes and merges, ``<s> a </s></s> b </s>``, one type."""
    tokenizer, trainer = _start_byte_bpe(["<s>", "<pad>", "</s>", "<unk>", "<mask>"])
    tokenizer.train_from_iterator(SENTENCES, trainer)
    tokenizer.post_processor = processors.RobertaProcessing(
        ("</s>", 2), ("<s>", 0), trim_offsets=True, add_prefix_space=False
    )
    return tokenizer


def build_modern_bpe() -> Tokenizer:
    """ModernBERT's: bytes and merges, ``[CLS] a [SEP] b [SEP]``."""
    tokenizer, trainer = _start_byte_bpe(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"])
    return _finish(tokenizer, trainer, "[CLS] $A [SEP]", "[CLS] $A [SEP] $B [SEP]")


def build_unigram(
    special: Sequence[str],
    single: str,
    pair: str,
    unknown: str,
    normalizer: normalizers.Normalizer | None = None,
) -> Tokenizer:
    """SentencePiece's Unigram, as XLM-R, ALBERT and DeBERTa-v3 have it."""
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizer or normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]
    )
    tokenizer.decoder = decoders.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=_VOCABULARY,
        special_tokens=list(special),
        unk_token=unknown,
        show_progress=False,
    )
    return _finish(tokenizer, trainer, single, pair)


def build_xlm() -> Tokenizer:
    """XLM-R's: ``<s> a </s></s> b </s>``."""
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    return build_unigram(special, "<s> $A </s>", "<s> $A </s> </s> $B </s>", "<unk>")


def build_deberta() -> Tokenizer:
    """DeBERTa-v3's: ``[CLS] a [SEP] b [SEP]`` with types 0 and 1."""
    special = ["[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]"]
    plain = normalizers.Sequence(
        [
            normalizers.Replace(Regex(r"\s{2,}|[\n\r\t]"), " "),
            normalizers.NFC(),
            normalizers.Strip(left=False),
        ]
    )
    return build_unigram(special, "[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1", "[UNK]", plain)


def build_albert() -> Tokenizer:
    """ALBERT's: the same layout under other names, in lower case."""
    special = ["<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"]
    plain = normalizers.Sequence(
        [normalizers.NFKD(), normalizers.StripAccents(), normalizers.Lowercase()]
    )
    return build_unigram(special, "[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1", "<unk>", plain)


_BERT_TOKENS = {
    "cls_token": "[CLS]",
    "sep_token": "[SEP]",
    "pad_token": "[PAD]",
    "unk_token": "[UNK]",
    "mask_token": "[MASK]",
}
_ROBERTA_TOKENS = {
    "bos_token": "<s>",
    "eos_token": "</s>",
    "cls_token": "<s>",
    "sep_token": "</s>",
    "pad_token": "<pad>",
    "unk_token": "<unk>",
    "mask_token": "<mask>",
}
_SMALL: dict[str, Any] = {
    "hidden_size": SIZE,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 64,
    # At the usual 0.02 so small a model hardly tells words apart.
    "initializer_range": 0.2,
    "hidden_dropout_prob": 0.0,
    "attention_probs_dropout_prob": 0.0,
}
_ROBERTA = _SMALL | {"type_vocab_size": 1, "pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2}
_DISENTANGLED = _SMALL | {
    "relative_attention": True,
    "position_biased_input": False,
    "pos_att_type": ["p2c", "c2p"],
    "type_vocab_size": 0,
    "pooler_hidden_size": SIZE,
    "pooler_dropout": 0.0,
}

FAMILIES: dict[str, Family] = {
    "bert": Family(
        model="Bert",
        tokenizer=build_wordpiece,
        tokenizer_class="BertTokenizer",
        special=_BERT_TOKENS,
        config=_SMALL,
    ),
    "roberta": Family(
        model="Roberta",
        tokenizer=build_byte_bpe,
        tokenizer_class="RobertaTokenizer",
        special=_ROBERTA_TOKENS,
        config=_ROBERTA,
        reserved=2,
    ),
    "xlm-roberta": Family(
        model="XLMRoberta",
        tokenizer=build_xlm,
        tokenizer_class="XLMRobertaTokenizer",
        special=_ROBERTA_TOKENS,
        config=_ROBERTA,
        reserved=2,
    ),
    "distilbert": Family(
        model="DistilBert",
        tokenizer=build_wordpiece,
        tokenizer_class="DistilBertTokenizer",
        special=_BERT_TOKENS,
        config={
            "dim": SIZE,
            "hidden_dim": 64,
            "n_layers": 2,
            "n_heads": 2,
            "initializer_range": 0.2,
            "dropout": 0.0,
            "attention_dropout": 0.0,
            "seq_classif_dropout": 0.0,
        },
    ),
    "electra": Family(
        model="Electra",
        tokenizer=build_wordpiece,
        tokenizer_class="ElectraTokenizer",
        special=_BERT_TOKENS,
        config=_SMALL | {"embedding_size": 16},
    ),
    "albert": Family(
        model="Albert",
        tokenizer=build_albert,
        tokenizer_class="AlbertTokenizer",
        special=_BERT_TOKENS | {"pad_token": "<pad>", "unk_token": "<unk>"},
        config=_SMALL
        | {"embedding_size": 16, "classifier_dropout_prob": 0.0, "inner_group_num": 1},
    ),
    "deberta-v2": Family(
        model="DebertaV2",
        tokenizer=build_deberta,
        tokenizer_class="DebertaV2Tokenizer",
        special=_BERT_TOKENS,
        config=_DISENTANGLED,
    ),
    # What DeBERTa-v3 adds: position buckets, one key for words and places, a norm of its own.
    "deberta-v3": Family(
        model="DebertaV2",
        tokenizer=build_deberta,
        tokenizer_class="DebertaV2Tokenizer",
        special=_BERT_TOKENS,
        config=_DISENTANGLED
        | {
            "position_buckets": 16,
            "share_att_key": True,
            "norm_rel_ebd": "layer_norm",
            "max_relative_positions": -1,
        },
    ),
    "modernbert": Family(
        model="ModernBert",
        tokenizer=build_modern_bpe,
        tokenizer_class="PreTrainedTokenizerFast",
        special=_BERT_TOKENS,
        config={
            "hidden_size": SIZE,
            "num_hidden_layers": 4,
            "num_attention_heads": 2,
            "intermediate_size": 48,
            "initializer_range": 0.2,
            "initializer_cutoff_factor": 2.0,
            "local_attention": 16,
            "global_attn_every_n_layers": 3,
            "attention_dropout": 0.0,
            "embedding_dropout": 0.0,
            "mlp_dropout": 0.0,
            "classifier_dropout": 0.0,
            "pad_token_id": 0,
            "cls_token_id": 2,
            "sep_token_id": 3,
            "bos_token_id": 2,
            "eos_token_id": 3,
        },
    ),
}


def build_family(
    path: Path,
    name: str,
    labels: Sequence[str] = ("entailment", "neutral", "contradiction"),
    *,
    positions: int = 512,
    shard_size: str | None = None,
) -> Path:
    """A random model of the family with these labels; ``positions`` as the tokenizer counts."""
    family = FAMILIES[name]
    torch.manual_seed(0)
    tokenizer = _train_once(name)
    config = getattr(transformers, f"{family.model}Config")(
        vocab_size=tokenizer.get_vocab_size(),
        max_position_embeddings=positions + family.reserved,
        id2label=dict(enumerate(labels)),
        label2id={label: index for index, label in enumerate(labels)},
        **family.config,
    )
    model = getattr(transformers, f"{family.model}ForSequenceClassification")(config)
    sharding = {} if shard_size is None else {"max_shard_size": shard_size}
    model.save_pretrained(path, **sharding)
    tokenizer.save(str(path / "tokenizer.json"))
    settings: dict[str, Any] = {"tokenizer_class": family.tokenizer_class, **family.special}
    if "type_vocab_size" in config.to_dict() and config.type_vocab_size != 1:
        settings["model_input_names"] = ["input_ids", "token_type_ids", "attention_mask"]
    (path / "tokenizer_config.json").write_text(json.dumps(settings))
    return path


def run_transformers(path: Path, premise: str, claim: str) -> tuple[float, ...]:
    """What plain transformers says of a pair: its own tokenizer, its own model, float32."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(path, local_files_only=True)
    model = transformers.AutoModelForSequenceClassification.from_pretrained(
        path, local_files_only=True, dtype=torch.float32
    ).eval()
    with torch.inference_mode():
        logits = model(**tokenizer(premise, claim, return_tensors="pt")).logits[0]
    return tuple(logits.tolist())


@cache
def _train_once(name: str) -> Tokenizer:
    return FAMILIES[name].tokenizer()


def _start_byte_bpe(special: Sequence[str]) -> tuple[Tokenizer, trainers.BpeTrainer]:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=_VOCABULARY,
        special_tokens=list(special),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    return tokenizer, trainer


def _finish(tokenizer: Tokenizer, trainer: Any, single: str, pair: str) -> Tokenizer:
    tokenizer.train_from_iterator(SENTENCES, trainer)
    names = {part.partition(":")[0] for part in pair.split()} - {"$A", "$B"}
    tokenizer.post_processor = processors.TemplateProcessing(
        single=single,
        pair=pair,
        special_tokens=[(name, tokenizer.token_to_id(name)) for name in sorted(names)],
    )
    return tokenizer
