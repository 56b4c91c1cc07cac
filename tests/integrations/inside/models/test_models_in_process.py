"""HHEM and LettuceDetect with their own libraries, on tiny networks of random weights: only the way there is tested."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import (
    BertConfig,
    BertForTokenClassification,
    PreTrainedTokenizerFast,
    T5Config,
    T5ForTokenClassification,
)

import halluscope
from halluscope import InputError, Support
from halluscope.judges import HHEMJudge, LettuceDetectJudge

PASSAGES = ["The tower was built in 1889 and is 300 metres high."]
OUTPUT = "The tower is 300 metres high. It was built in 1901."


def tokenizer(folder: Path, *, bert: bool = False) -> None:
    words = (
        "<pad> </s> <unk> [CLS] [SEP] [UNK] the tower was built in 1889 1901 and is 300 metres high it . ? :".split()
    )
    vocabulary = {word: number for number, word in enumerate(words)}
    made = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    if bert:
        made.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 3), ("[SEP]", 4)]
        )
    fast = PreTrainedTokenizerFast(
        tokenizer_object=made,
        pad_token="<pad>",
        eos_token="</s>",
        unk_token="<unk>",
        cls_token="[CLS]",
        sep_token="[SEP]",
    )
    fast.save_pretrained(folder)


@pytest.fixture
def hhem(tmp_path: Path) -> tuple[Path, Any]:
    torch.manual_seed(0)
    config = T5Config(vocab_size=32, d_model=16, d_kv=4, d_ff=16, num_layers=1, num_heads=2, num_labels=2)
    network = T5ForTokenClassification(config).eval()
    config.save_pretrained(tmp_path)
    tokenizer(tmp_path)
    save_file(
        {f"t5.{name}": tensor.clone() for name, tensor in network.state_dict().items()}, tmp_path / "model.safetensors"
    )
    return tmp_path, network


def test_hhem_gives_the_probability_of_its_own_network(hhem: tuple[Path, Any]) -> None:
    folder, network = hhem
    judge = HHEMJudge(str(folder), str(folder))
    result = halluscope.check(OUTPUT, PASSAGES, metric="label", judge=judge)
    text = (
        "<pad> Determine if the hypothesis is true given the premise?\n\n"
        f"Premise: {PASSAGES[0]}\n\nHypothesis: {OUTPUT}"
    )
    with torch.no_grad():
        tokens = PreTrainedTokenizerFast.from_pretrained(folder)(text, return_tensors="pt")
        tokens.pop("token_type_ids", None)
        expected = torch.softmax(network(**tokens).logits[0, 0], dim=-1)[1].item()
    assert result.probability == pytest.approx(1 - expected, abs=1e-5)
    claims = halluscope.check(OUTPUT, PASSAGES, metric="faithfulness", judge=judge)
    assert len(claims.verdicts) == 2 and all(verdict.confidence is not None for verdict in claims.verdicts)


def test_weights_of_another_model_are_refused(hhem: tuple[Path, Any]) -> None:
    folder, _ = hhem
    save_file({"t5.other": torch.zeros(1)}, folder / "model.safetensors")
    with pytest.raises(InputError, match="is not a model like"):
        halluscope.check(OUTPUT, PASSAGES, metric="label", judge=HHEMJudge(str(folder), str(folder)))


@pytest.mark.parametrize("bias", [10.0, -10.0])
def test_lettucedetect_marks_spans(tmp_path: Path, bias: float) -> None:
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=32, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16, num_labels=2
    )
    network = BertForTokenClassification(config)
    with torch.no_grad():
        network.classifier.bias[1] = bias
    network.save_pretrained(tmp_path)
    tokenizer(tmp_path, bert=True)
    result = halluscope.check(OUTPUT, PASSAGES, metric="faithfulness", judge=LettuceDetectJudge(str(tmp_path)))
    expected = Support.UNSUPPORTED if bias > 0 else Support.SUPPORTED
    assert [verdict.support for verdict in result.verdicts] == [expected] * 2
    if bias > 0:
        for verdict in result.verdicts:
            (start, end), *_ = verdict.marks
            assert verdict.claim.start is not None and verdict.claim.end is not None
            assert verdict.claim.start <= start < end <= verdict.claim.end
            assert verdict.confidence == pytest.approx(1.0, abs=0.01)


def test_the_names_are_ready(tmp_path: Path) -> None:
    from halluscope.judges import resolve

    assert (resolve("hhem").name, resolve("lettucedetect").name) == ("hhem", "lettucedetect")
    with pytest.raises(InputError, match="does not take"):
        resolve("local/other")
