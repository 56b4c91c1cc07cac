"""A bench report as SVG: confusion matrices, calibration curves, and the curve of a cascade."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape

from ...core.counting import count_of
from .bench_report import BenchReport
from .figures import Figures

_SIDE, _GAP, _TOP = 260, 70, 64
_WIDTH = 2 * _SIDE + 3 * _GAP
_HEAD = _TOP + _SIDE + 76
_GOOD, _BAD, _INK, _FAINT = "#1b7f5c", "#c0392b", "#222222", "#9aa0a6"


def bench_svg(report: BenchReport) -> str:
    """Draw one row per judge and, for two judges, the curve of their cascade."""
    rows = [_judge(figures, i * _HEAD) for i, figures in enumerate(report.judges)]
    height = len(report.judges) * _HEAD
    if report.tradeoff:
        rows.append(_curve(report, height))
        height += _HEAD
    first = report.judges[0]
    caption = f"{report.set}: {count_of(first.n, 'case')}, {first.hallucinated} hallucinated"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height + 40}" '
        f'viewBox="0 0 {_WIDTH} {height + 40}" font-family="sans-serif" font-size="13" fill="{_INK}" role="img">'
        f"<title>{escape(caption)}</title>"
        f'<rect width="100%" height="100%" fill="#ffffff"/>'
        f"{_text(_GAP, 26, caption, size=16, bold=True)}"
        f'<g transform="translate(0 30)">{"".join(rows)}</g></svg>\n'
    )


def _judge(figures: Figures, y: int) -> str:
    parts = [_text(_GAP, y + 30, f"{figures.judge} ({figures.metric})", bold=True), _matrix(figures, _GAP, y + _TOP)]
    if figures.calibration and figures.graded:
        parts.append(_calibration(figures, 2 * _GAP + _SIDE, y + _TOP))
    return "".join(parts)


def _matrix(figures: Figures, x: int, y: int) -> str:
    """Draw a confusion matrix: rows are labels, columns verdicts. The colour shows the share of the row."""
    half = _SIDE // 2
    parts = []
    for row, (word, sides) in enumerate((("hallucinated", ("tp", "fn")), ("factual", ("fp", "tn")))):
        total = sum(figures.confusion[side] for side in sides)
        top, middle = y + row * half, y + row * half + half / 2
        for column, side in enumerate(sides):
            count = figures.confusion[side]
            share = count / total if total else 0.0
            left = x + column * half
            parts += [
                f'<rect x="{left}" y="{top}" width="{half}" height="{half}" fill="{_GOOD if row == column else _BAD}" '
                f'fill-opacity="{0.08 + 0.72 * share:.3f}" stroke="#ffffff" stroke-width="2"/>',
                _text(left + half / 2, middle, f"{count:,}", size=20, middle=True, bold=True),
                _text(left + half / 2, middle + 20, f"{share:.0%}", middle=True),
            ]
        parts += [
            _text(x + row * half + half / 2, y - 8, f"judged {word}", middle=True, size=11),
            f'<text x="{x - 10}" y="{middle}" text-anchor="middle" font-size="11" '
            f'transform="rotate(-90 {x - 10} {middle})">{word}</text>',
        ]
    measures = ", ".join(
        f"{name} {value:.2f}"
        for name, value in (("precision", figures.precision), ("recall", figures.recall), ("F1", figures.f1))
        if value is not None
    )
    parts.append(_text(x, y + _SIDE + 22, measures, size=12))
    return "".join(parts)


def _calibration(figures: Figures, x: int, y: int) -> str:
    most = max(b.n for b in figures.calibration)
    parts = [_frame(x, y, "probability given", "share hallucinated")]
    parts.append(
        f'<line x1="{x}" y1="{y + _SIDE}" x2="{x + _SIDE}" y2="{y}" stroke="{_FAINT}" stroke-dasharray="4 4"/>'
    )
    places = [(b.mean_probability, b.share_hallucinated) for b in figures.calibration]
    parts.append(_line(x, y, places))
    for b, (across, up) in zip(figures.calibration, places, strict=True):
        radius = 2.5 + 4.5 * (b.n / most) ** 0.5
        parts.append(
            f'<circle cx="{x + across * _SIDE:.1f}" cy="{y + (1 - up) * _SIDE:.1f}" r="{radius:.1f}" fill="{_GOOD}">'
            f"<title>{count_of(round(b.n), 'case')}</title></circle>"
        )
    if figures.ece is not None:
        parts.append(_text(x, y + _SIDE + 44, f"calibration error {figures.ece:.3f}", size=12))
    return "".join(parts)


def _curve(report: BenchReport, y: int) -> str:
    """Draw the balanced accuracy of a cascade by the share of cases for the second judge."""
    x, top = _GAP, y + _TOP
    floor = min(0.5, *(point.balanced_accuracy for point in report.tradeoff))
    first, second = report.judges[:2]
    title = f"cascade of {first.judge} and {second.judge}: balanced accuracy by share of cases for the second judge"
    places = [(p.share, (p.balanced_accuracy - floor) / (1 - floor)) for p in report.tradeoff]
    costs = report.tradeoff[0].cost, report.tradeoff[-1].cost
    below = "" if None in costs else f"cost from ${costs[0]:.4f} to ${costs[1]:.4f}"
    return (
        _text(x, y + 30, title, bold=True)
        + _frame(x, top, "share for the second judge", "balanced accuracy", floor)
        + _line(x, top, places)
        + _text(x, top + _SIDE + 44, below, size=12)
    )


def _frame(x: int, y: int, across: str, up: str, floor: float = 0.0) -> str:
    return (
        f'<rect x="{x}" y="{y}" width="{_SIDE}" height="{_SIDE}" fill="none" stroke="{_FAINT}"/>'
        + _text(x + _SIDE / 2, y + _SIDE + 26, across, middle=True, size=11)
        + _text(x, y - 8, up, size=11)
        + _text(x - 4, y + 10, "1", size=10, end=True)
        + _text(x - 4, y + _SIDE, f"{floor:.2g}", size=10, end=True)
        + _text(x + _SIDE, y + _SIDE + 14, "1", size=10, middle=True)
    )


def _line(x: int, y: int, places: Sequence[tuple[float, float]]) -> str:
    points = " ".join(f"{x + across * _SIDE:.1f},{y + (1 - up) * _SIDE:.1f}" for across, up in places)
    return f'<polyline points="{points}" fill="none" stroke="{_GOOD}" stroke-width="2"/>'


def _text(
    x: float, y: float, text: str, *, size: int = 13, bold: bool = False, middle: bool = False, end: bool = False
) -> str:
    anchor = "middle" if middle else "end" if end else "start"
    weight = ' font-weight="bold"' if bold else ""
    return f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}"{weight}>{escape(text)}</text>'
