"""HHEM-2.1-Open, Vectara's model for factual consistency, in this process."""

from __future__ import annotations

import hashlib
import threading
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from ...core.errors import InputError, MissingExtra
from ...core.plumbing.public import public_in
from ...core.plumbing.threads import in_thread
from .formats import Pair, PairOpinion
from .pair_judge import CHARACTERS_PER_TOKEN, PairJudge

MODEL, FOUNDATION = "vectara/hallucination_evaluation_model", "google/flan-t5-base"
_PROMPT = (
    "<pad> Determine if the hypothesis is true given the premise?\n\nPremise: {premise}\n\nHypothesis: {hypothesis}"
)
_WINDOW = 2048
"""Tokens of a pair. The model takes longer ones, in time and memory that grow with the square."""


@public_in("halluscope.judges")
class HHEMJudge(PairJudge):
    """Named `hhem`. Needs the extra `hhem`, and fetches 0.4 GB from Hugging Face once. English, Apache 2.0.

    Only weights are fetched, in the safetensors format: none of the model's own code is run.

    Args:
        model: A model on Hugging Face, or a folder with its `model.safetensors`.
        foundation: The model that gives the shape and the tokenizer, or a folder with its files.

    Raises:
        MissingExtra: If transformers or torch is not installed.
    """

    window = _WINDOW * CHARACTERS_PER_TOKEN
    whole = True

    def __init__(self, model: str = MODEL, foundation: str = FOUNDATION) -> None:
        try:
            import torch  # noqa: F401
            import transformers  # noqa: F401
        except ImportError as error:
            raise MissingExtra("hhem", "the judge hhem") from error
        self.model = model
        self.foundation = foundation
        self._lock = threading.Lock()

    @property
    def name(self) -> str:  # type: ignore[override]
        return "hhem" if self.model == MODEL else f"hhem/{self.model}"

    def fingerprint(self) -> str:
        return hashlib.sha256(f"hhem {self.model} {self.foundation}".encode()).hexdigest()

    async def _opinion(self, pair: Pair, timeout: float) -> PairOpinion:
        probability = await in_thread(partial(self._probability, pair))
        return PairOpinion(probability >= 0.5, probability)

    def _probability(self, pair: Pair) -> float:
        import torch

        with self._lock, torch.no_grad():
            tokenizer, network = self._loaded
            text = _PROMPT.format_map({"premise": pair.document, "hypothesis": pair.text})
            logits = network(**tokenizer(text, return_tensors="pt")).logits
            return float(torch.softmax(logits[0, 0, :], dim=-1)[1])

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        from safetensors.torch import load_file
        from transformers import AutoConfig, AutoTokenizer, T5ForTokenClassification

        network = T5ForTokenClassification(AutoConfig.from_pretrained(self.foundation))
        weights = load_file(self._file())
        known = {name.removeprefix("t5."): tensor for name, tensor in weights.items() if name.startswith("t5.")}
        missing = network.load_state_dict(known, strict=False).missing_keys
        # The encoder and the decoder share one table of embeddings, which is stored once.
        if any(not name.endswith("embed_tokens.weight") for name in missing) or not known:
            raise InputError(f"{self.model} is not a model like {MODEL}: it lacks weights, such as {missing[:1]}.")
        return AutoTokenizer.from_pretrained(self.foundation), network.eval()

    def _file(self) -> str:
        if Path(self.model).is_dir():
            return str(Path(self.model) / "model.safetensors")
        from huggingface_hub import hf_hub_download

        return str(hf_hub_download(self.model, "model.safetensors"))
