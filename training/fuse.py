"""Fit the layer that joins the signals, on documents the models had not seen.

The rule that ships is: an output holds if its least supported claim does, at one threshold. So that is what is
fitted: the coefficients of the claims are found from the labels of whole outputs (and of single claims, where
these are known), each set and each class weighing the same. No set outside the training side is looked at.
"""

from __future__ import annotations

import argparse
import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from halluscope.embedded.fusion import Fusion, Marking, logit, terms
from training.figures import span_f1
from training.measure import Measured, signals_of
from training.rows import FOLDS

SHARES = {"written_": 5 / 8, "written answers": 0.5, "ragtruth_ablated": 3.0, "ragtruth": 2.0}
"""What a group weighs, by the beginning of its name; others weigh one. Ours stands for eight kinds of text; the
sentences of real answers, with and without their support, stand for the use this judge is made for."""
FIT = ("written_", "ragtruth", "summedits", "factcheckgpt", "expertqa")


def load_measured(path: Path) -> list[Measured]:
    """Cases with the signals of their claims; those without a claim are left out."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [case for case in map(json.loads, lines) if case["claims"]]


def group_of(case: Measured) -> str:
    """What weighs as one: a set, the answers of ours apart from its single claims."""
    name: str = case["set"]
    return "written answers" if name.startswith("written") and case["task"] == "qa" else name


def weights_of(cases: list[Measured]) -> np.ndarray:
    """Each group its share, and each class half of it."""
    groups = [group_of(case) for case in cases]
    wrong = [case["label"] != "supported" for case in cases]
    counts: dict[tuple[str, bool], int] = {}
    for key in zip(groups, wrong, strict=True):
        counts[key] = counts.get(key, 0) + 1
    share = {group: next((SHARES[key] for key in SHARES if group.startswith(key)), 1.0) for group in set(groups)}
    return np.array([share[g] / counts[g, w] for g, w in zip(groups, wrong, strict=True)], dtype=np.float32)


def fit_support(cases: list[Measured], steps: int = 500, penalty: float = 1e-3) -> dict[str, float]:
    """Coefficients of support, such that the least supported claim tells whether the output holds."""
    names = list(terms(signals_of(cases[0]["claims"][0])))
    rows = [list(terms(signals_of(claim)).values()) for case in cases for claim in case["claims"]]
    owner = torch.tensor([number for number, case in enumerate(cases) for _ in case["claims"]])
    values = torch.tensor(rows, dtype=torch.float32)
    mean, spread = values.mean(0), values.std(0).clamp(min=1e-3)
    scaled = (values - mean) / spread
    holds = torch.tensor([float(case["label"] == "supported") for case in cases])
    weight = torch.from_numpy(weights_of(cases))
    weight = weight / weight.sum()
    slope = torch.zeros(len(names), requires_grad=True)
    constant = torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.Adam([slope, constant], lr=0.05)
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = 0.05 * (1 - step / steps) + 1e-4
        scores = scaled @ slope + constant
        least = torch.full((len(cases),), torch.inf).scatter_reduce(0, owner, scores, "amin")
        loss = (functional.binary_cross_entropy_with_logits(least, holds, reduction="none") * weight).sum()
        loss = loss + penalty * (slope**2).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    raw = (slope.detach() / spread).tolist()
    offset = float(constant.detach() - (slope.detach() * mean / spread).sum())
    return {"": round(offset, 5), **{name: round(value, 5) for name, value in zip(names, raw, strict=True)}}


def fit_contradiction(cases: list[Measured]) -> dict[str, float]:
    """Which of the two ways of being wrong, from single claims where it is known."""
    chosen = [case for case in cases if case["label"] in ("contradicted", "unsupported") and len(case["claims"]) == 1]
    names = ["against", "number conflict", "numbers missing", "names missing", "opposite", "coverage"]
    rows = []
    for case in chosen:
        signals = signals_of(case["claims"][0])
        against = signals.contradicted / max(1e-9, signals.contradicted + signals.unsupported)
        rows.append([{**terms(signals), "against": logit(against)}[name] for name in names])
    values = torch.tensor(rows)
    wanted = torch.tensor([float(case["label"] == "contradicted") for case in chosen])
    slope = torch.zeros(len(names), requires_grad=True)
    constant = torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.LBFGS([slope, constant], max_iter=100)

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = functional.binary_cross_entropy_with_logits(values @ slope + constant, wanted) + 1e-3 * (slope**2).sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    return {
        "": round(float(constant.detach()), 5),
        **{n: round(v, 5) for n, v in zip(names, slope.tolist(), strict=True)},
    }


def claim_doubts(case: Measured, fusion: Fusion) -> list[float]:
    """The probability of support of each claim of a case."""
    return [fusion.judge_claim(signals_of(claim)).supported for claim in case["claims"]]


def called(case: Measured, supports: list[float], marking: Marking) -> list[tuple[int, int]]:
    """The characters of the output that are called unsupported."""
    return [
        span
        for claim, supported in zip(case["claims"], supports, strict=True)
        for span in marking.doubtful(claim["marks"], supported)
    ]


def fit_marking(cases: list[Measured], fusion: Fusion) -> dict[str, float]:
    """The marking with the best F1 over characters on outputs whose wrong characters are known."""
    known = [case for case in cases if case["set"] == "ragtruth"]
    supports = [claim_doubts(case, fusion) for case in known]
    found = (0.0, {"constant": 0.0, "mark": 1.0, "claim": 0.5, "gap": 12})
    for claim in (0.0, 1.0, 2.0, 4.0):
        for constant in np.arange(-5.0, 2.1, 0.5):
            for gap in (5, 25):
                marking = Marking(float(constant), 1.0, claim, gap)
                score = span_f1(
                    (case["spans"], called(case, support, marking))
                    for case, support in zip(known, supports, strict=True)
                )
                if score > found[0]:
                    found = (score, {"constant": float(constant), "mark": 1.0, "claim": claim, "gap": gap})
    return found[1]


def fit(cases: list[Measured]) -> dict[str, Any]:
    """Everything that is recorded beside the weights."""
    mine = [case for case in cases if case["set"].startswith(FIT)]
    fitted: dict[str, Any] = {"threshold": 0.5, "support": fit_support(mine), "contradiction": fit_contradiction(mine)}
    fitted["marking"] = fit_marking(mine, Fusion(fitted["support"], fitted["contradiction"]))
    return fitted


def crossed(cases: list[Measured]) -> list[dict[str, Any]]:
    """Judgements on the training side where neither the model nor this layer has seen the document."""
    rows = []
    for fold in range(FOLDS):
        fitted = fit([case for case in cases if case["fold"] not in (fold, -1)])
        fusion, marking = Fusion(fitted["support"], fitted["contradiction"]), Marking(**fitted["marking"])
        for case in cases:
            if case["fold"] == fold:
                supports = claim_doubts(case, fusion)
                row = {key: case[key] for key in ("id", "set", "task", "label", "length", "overlap")}
                row["supported"] = [round(value, 4) for value in supports]
                if case["set"] == "ragtruth":
                    row |= {"spans": case["spans"], "called": called(case, supports, marking)}
                rows.append(row)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("measured", type=Path)
    parser.add_argument("fitted", type=Path)
    parser.add_argument("crossed", type=Path)
    options = parser.parse_args()
    cases = load_measured(options.measured)
    options.fitted.write_text(json.dumps(fit(cases), indent=2) + "\n", encoding="utf-8")
    with gzip.open(options.crossed, "wt", encoding="utf-8") as out:
        out.writelines(json.dumps(row) + "\n" for row in crossed(cases))
    print(options.fitted.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
