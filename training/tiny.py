"""A base for rehearsals: a model of the teacher's kind with random weights, small enough for a CPU.

python -m training.tiny FOLDER
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import Qwen2Config, Qwen2ForCausalLM

ENDS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")


def tiny(folder: Path) -> None:
    """Write the model and a tokenizer that has one token for each byte."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    words = {token: place for place, token in enumerate((*letters, *ENDS))}
    tokenizer = Tokenizer(models.BPE(vocab=words, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(list(ENDS))
    config = Qwen2Config(
        vocab_size=len(words),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=8192,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=words["<|im_end|>"],
    )
    torch.manual_seed(0)
    folder.mkdir(parents=True, exist_ok=True)
    Qwen2ForCausalLM(config).save_pretrained(folder)
    tokenizer.save(str(folder / "tokenizer.json"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    tiny(parser.parse_args().folder)


if __name__ == "__main__":
    main()
