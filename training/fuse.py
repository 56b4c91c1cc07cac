"""Fit the layer that joins the signals, on documents the models had not seen.

The rule that ships is: an output holds if its least supported claim does, at one threshold. So that is what is
fitted: the coefficients of the claims are found from the labels of whole outputs (and of single claims, where
these are known), each set and each class weighing the same. No set outside the training side is looked at.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from halluscope._internal.judges.embedded.deciding.signals import Fusion, logit, terms
from halluscope._internal.judges.embedded.deciding.verdicts import Marking
from halluscope._internal.judges.embedded.network.model import Place
from training.figures import span_f1
from training.measure import MARKED, Measured, called, evidence_found, signals_of, token_scores
from training.rows import FOLDS
from training.sets import ONE_LINE

SHARES = {
    "written_rag": 6.0,
    "written_": 5 / 8,
    "written answers": 0.5,
    "short_answers": 3.0,
    "one-line claims": 3.0,
    "answers over passages": 3.0,
    "reworded": 2.0,
    "ragtruth_ablated": 3.0,
    "ragtruth": 6.0,
    "summedits": 2.0,
    "factcheckgpt": 2.0,
    "expertqa": 3.0,
}
"""What a group weighs, by the beginning of its name; others weigh one. Ours stands for eight kinds of text; the
sentences of real answers, with and without their support, stand for the use this judge is made for."""
WRONG = 1.1
"""What the wrong outputs of a group weigh beside its right ones: an error that passes costs more than a false alarm."""
PARTS = ("support", "contradiction", "marking")
"""What is fitted: whether a claim is supported, in which way it is wrong, which words are."""
FIT = (
    "written_",
    "short_answers",
    "evidence_",
    "page_claims",
    "absences",
    "copied",
    "reworded",
    "longer",
    "ragtruth",
    "summedits",
    "factcheckgpt",
    "expertqa",
)


def load_measured(path: Path) -> list[Measured]:
    """Cases with the signals of their claims; those without a claim are left out."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [case for case in map(json.loads, lines) if case["claims"]]


def group_of(case: Measured) -> str:
    """What weighs as one: a set, the answers of ours apart from its single claims."""
    name: str = case["set"]
    if name.startswith("written_rag"):
        return "written_rag"
    if name.startswith("evidence_"):
        return "one-line claims" if name.startswith(ONE_LINE) else "answers over passages"
    return "written answers" if name.startswith("written") and case["task"] == "qa" else name


def weights_of(cases: list[Measured]) -> np.ndarray:
    """Each group its share, divided between its right and its wrong outputs."""
    groups = [group_of(case) for case in cases]
    wrong = [case["label"] != "supported" for case in cases]
    counts: dict[tuple[str, bool], int] = {}
    for key in zip(groups, wrong, strict=True):
        counts[key] = counts.get(key, 0) + 1
    share = {group: next((SHARES[key] for key in SHARES if group.startswith(key)), 1.0) for group in set(groups)}
    each = {(group, w): share[group] * (WRONG if w else 1.0) / counts[group, w] for group, w in counts}
    return np.array([each[key] for key in zip(groups, wrong, strict=True)], dtype=np.float32)


UNITS, FITS = 12, 3


def fit_support(cases: list[Measured], steps: int = 1200, penalty: float = 1e-3) -> dict[str, Any]:
    """Weights of support, such that the least supported claim tells whether the output holds.

    Fitted from several beginnings, and the mean of these: one alone depends on where it began.
    """
    names = list(terms(signals_of(cases[0]["claims"][0])))
    rows = [list(terms(signals_of(claim)).values()) for case in cases for claim in case["claims"]]
    owner = torch.tensor([number for number, case in enumerate(cases) for _ in case["claims"]])
    values = torch.tensor(rows, dtype=torch.float32)
    mean, spread = values.mean(0), values.std(0).clamp(min=1e-3)
    scaled = (values - mean) / spread
    holds = torch.tensor([float(case["label"] == "supported") for case in cases])
    weight = torch.from_numpy(weights_of(cases))
    weight = weight / weight.sum()

    def plain(slope: torch.Tensor, constant: torch.Tensor) -> dict[str, Any]:
        raw = (slope / spread).tolist()
        offset = float(constant - (slope * mean / spread).sum())
        return {"constant": round(offset, 4), "weights": dict(zip(names, (round(v, 4) for v in raw), strict=True))}

    slopes, constants, units = [], [], []
    for seed in range(FITS):
        torch.manual_seed(seed)
        slope, constant = torch.zeros(len(names)), torch.zeros(())
        inner = torch.randn(len(names), UNITS) * 0.3 / len(names) ** 0.5
        inner_constant, adds = torch.zeros(UNITS), torch.randn(UNITS) * 0.1
        parameters = [slope, constant, inner, inner_constant, adds]
        for parameter in parameters:
            parameter.requires_grad_()
        optimizer = torch.optim.Adam(parameters)
        for step in range(steps):
            for group in optimizer.param_groups:
                group["lr"] = 0.02 * (1 - step / steps) + 1e-4
            scores = scaled @ slope + constant + torch.tanh(scaled @ inner + inner_constant) @ adds
            least = torch.full((len(cases),), torch.inf).scatter_reduce(0, owner, scores, "amin")
            loss = (functional.binary_cross_entropy_with_logits(least, holds, reduction="none") * weight).sum()
            loss = loss + penalty * sum((part**2).sum() for part in (slope, inner, adds))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        slopes.append(slope.detach())
        constants.append(constant.detach())
        for number in range(UNITS):
            unit = plain(inner.detach()[:, number], inner_constant.detach()[number])
            units.append({"adds": round(float(adds[number].detach()) / FITS, 4), **unit})
    return {**plain(torch.stack(slopes).mean(0), torch.stack(constants).mean(0)), "units": units}


def fit_contradiction(cases: list[Measured]) -> dict[str, Any]:
    """Which of the two ways of being wrong, from single claims where it is known."""
    chosen = [case for case in cases if case["label"] in ("contradicted", "unsupported") and len(case["claims"]) == 1]
    names = ["against", "number doubt", "numbers missing", "coverage"]
    rows = []
    for case in chosen:
        signals = signals_of(case["claims"][0])
        rows.append([{**terms(signals), "against": logit(signals.against)}[name] for name in names])
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
    weights = {name: round(value, 4) for name, value in zip(names, slope.tolist(), strict=True)}
    return {"constant": round(float(constant.detach()), 4), "weights": weights}


def claim_doubts(case: Measured, fusion: Fusion) -> list[float]:
    """The probability of support of each claim of a case."""
    return [fusion.judge_claim(signals_of(claim)).supported for claim in case["claims"]]


def fit_marking(cases: list[Measured], fusion: Fusion) -> dict[str, Any]:
    """A regression over tokens, cut where F1 over characters is best, on outputs whose wrong characters are known."""
    known = [case for case in cases if case["set"].startswith(MARKED)]
    supports = [claim_doubts(case, fusion) for case in known]
    names = sorted({name for case in known for claim in case["claims"] for t in claim["tokens"] for name in t["signs"]})
    rows, wanted, weight = [], [], []
    for case, mine in zip(known, supports, strict=True):
        wrong = {place for start, end in case["spans"] for place in range(start, end)}
        for claim, supported in zip(case["claims"], mine, strict=True):
            for token in claim["tokens"]:
                start, end = token["at"]
                rows.append([logit(supported), *(token["signs"][name] for name in names)])
                wanted.append(float(sum(place in wrong for place in range(start, end)) * 2 > end - start))
                weight.append(float(end - start))
    if not rows:  # a rehearsal may have none: then nothing is marked
        return {"constant": -9.0, "verdict": 0.0, "weights": {}, "gap": 25}
    values, target, mass = torch.tensor(rows), torch.tensor(wanted), torch.tensor(weight)
    mean, spread = values.mean(0), values.std(0).clamp(min=1e-3)
    scaled = (values - mean) / spread
    slope, constant = torch.zeros(len(names) + 1, requires_grad=True), torch.zeros((), requires_grad=True)
    optimizer = torch.optim.LBFGS([slope, constant], max_iter=150, line_search_fn="strong_wolfe")

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        losses = functional.binary_cross_entropy_with_logits(scaled @ slope + constant, target, reduction="none")
        loss = (losses * mass).sum() / mass.sum() + 1e-4 * (slope**2).sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    verdict, *raw = (slope.detach() / spread).tolist()
    offset = float(constant.detach() - (slope.detach() * mean / spread).sum())
    weights = {name: round(value, 4) for name, value in zip(names, raw, strict=True)}
    best = (0.0, 0.0, 25)
    for gap in (5, 25):
        marking = Marking(offset, verdict, weights, gap)
        scores = [token_scores(case, mine, marking) for case, mine in zip(known, supports, strict=True)]
        for cut in np.arange(-3.0, 1.0, 0.1):
            pairs = [(case["spans"], called(mine, marking, cut)) for case, mine in zip(known, scores, strict=True)]
            best = max(best, (_mean_f1(known, pairs), float(cut), gap))
    _, cut, gap = best
    return {"constant": round(offset - cut, 4), "verdict": round(verdict, 4), "weights": weights, "gap": gap}


def _mean_f1(cases: list[Measured], pairs: list[tuple[list[Place], list[Place]]]) -> float:
    """The mean over what real models wrote and what was written for this project."""
    ours = [case["set"].startswith("evidence_") for case in cases]
    groups = ([pair for pair, mine in zip(pairs, ours, strict=True) if mine == own] for own in (False, True))
    return float(np.mean([span_f1(group) for group in groups if group]))


def fit(cases: list[Measured], layer: dict[str, Any] | None = None, anew: Sequence[str] = PARTS) -> dict[str, Any]:
    """Everything that is recorded beside the weights. Of a layer that is given, only the parts to fit anew change."""
    mine = [case for case in cases if case["set"].startswith(FIT)]
    fitted = dict(layer or {"threshold": 0.5})
    if "support" in anew:
        fitted["support"] = fit_support(mine)
    if "contradiction" in anew:
        fitted["contradiction"] = fit_contradiction(mine)
    if "marking" in anew:
        fitted["marking"] = fit_marking(mine, Fusion.of(fitted))
    return fitted


def crossed(
    cases: list[Measured], layer: dict[str, Any] | None = None, anew: Sequence[str] = PARTS
) -> list[dict[str, Any]]:
    """Judgements where neither the network nor this layer has seen the document, and, as fold -1, on unseen sets."""
    rows = []
    for fold in range(-1, FOLDS):
        fitted = fit([case for case in cases if case["fold"] not in (fold, -1)], layer, anew)
        fusion, marking = Fusion.of(fitted), Marking(**fitted["marking"])
        for case in cases:
            if case["fold"] == fold:
                supports = claim_doubts(case, fusion)
                row = {key: case[key] for key in ("id", "set", "task", "label", "kind", "fold", "length", "overlap")}
                row["supported"] = [round(value, 4) for value in supports]
                if case["set"].startswith(MARKED):
                    marks = called(token_scores(case, supports, marking), marking)
                    row |= {"spans": case["spans"], "called": marks}
                row |= evidence_found(case, supports)
                rows.append(row)
    return rows


def _layer_at(path: Path) -> dict[str, Any]:
    """The coefficients of a file that `ship` or this module has written."""
    recorded = json.loads(path.read_text(encoding="utf-8"))
    return {key: value for key, value in recorded.items() if key not in ("name", "files")}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--layer", type=Path, help="coefficients as they were fitted before, for a network that goes on"
    )
    parser.add_argument("--anew", nargs="*", choices=PARTS, help="the parts to fit; all, or none of a given layer")
    parser.add_argument("measured", type=Path)
    parser.add_argument("fitted", type=Path)
    parser.add_argument("crossed", type=Path)
    options = parser.parse_args()
    cases = load_measured(options.measured)
    layer = options.layer and _layer_at(options.layer)
    anew = options.anew if options.anew is not None else () if layer else PARTS
    with gzip.open(options.crossed, "wt", encoding="utf-8") as out:
        out.writelines(json.dumps(row) + "\n" for row in crossed(cases, layer, anew))
    # Last, since its being there says that this step is done.
    options.fitted.write_text(json.dumps(fit(cases, layer, anew), indent=2) + "\n", encoding="utf-8")
    print(options.fitted.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
