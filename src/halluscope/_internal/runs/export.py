"""A run as a file or a table: one line per result, texts and verdicts included."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Union

import msgspec

from ..case import Case
from ..errors import InputError, MissingExtra
from ..plumbing.whole_file import replacing
from ..result import Failure, Outcome, Result, Usage
from ..verdict import Verdict

if TYPE_CHECKING:
    import pandas

Bytes = Union[BinaryIO, gzip.GzipFile]
Pairs = Iterable[tuple[Case, Result]]

FORMATS = (".jsonl", ".jsonl.gz", ".csv", ".csv.gz", ".parquet")
_BATCH = 1000


def line(case: Case, result: Result) -> dict[str, Any]:
    """One result as flat data; the column names stay, whatever the format."""
    return {
        "id": case.id,
        "metric": result.metric,
        "score": result.score,
        "label": result.label,
        "probability": result.probability,
        "reason": result.reason,
        "outcome": result.outcome.value,
        "passed": result.passed,
        "threshold": result.threshold,
        "direction": result.direction,
        "input": case.input,
        "output": case.output,
        "context": None if case.context is None else list(case.context),
        "figures": result.figures,
        "verdicts": msgspec.to_builtins(result.verdicts),
        "failure": None if result.failure is None else result.failure.message,
        "notes": list(result.notes),
        "judge": result.judge,
        "metric_version": result.metric_version,
        "calls": result.usage.calls,
        "input_tokens": result.usage.input_tokens,
        "output_tokens": result.usage.output_tokens,
        "cost": result.usage.cost,
        "latency_ms": result.latency_ms,
        "metadata": case.metadata,
    }


def bad_line(reason: str) -> dict[str, Any]:
    """A row that could not be read, among results."""
    return dict.fromkeys(_KINDS) | {"outcome": "bad_row", "reason": reason}


def unline(row: Mapping[str, Any]) -> tuple[Case, Result]:
    """Case and result out of a line of a Parquet file: all that was written there, so without the exchanges."""
    case = Case(
        output=row["output"],
        context=None if row["context"] is None else tuple(row["context"]),
        input=row["input"],
        id=row["id"],
        metadata=msgspec.json.decode(row["metadata"]),
    )
    result = Result(
        metric=row["metric"],
        metric_version=row["metric_version"],
        judge=row["judge"],
        case_id=row["id"],
        outcome=Outcome(row["outcome"]),
        score=row["score"],
        direction=row["direction"],
        threshold=row["threshold"],
        passed=row["passed"],
        label=row["label"],
        reason=row["reason"],
        verdicts=msgspec.json.decode(row["verdicts"], type=tuple[Verdict, ...]),
        failure=None if row["failure"] is None else Failure("error", row["failure"]),
        usage=Usage(row["calls"], row["input_tokens"], row["output_tokens"], row["cost"]),
        latency_ms=row["latency_ms"],
        notes=tuple(row["notes"]),
        metadata=case.metadata,
    )
    return case, result


_STRUCTURED = ("figures", "verdicts", "metadata")
_LISTS = ("context", "notes")


def export(pairs: Pairs, path: Path) -> int:
    """Write the results to `path`, in the format its name ends with. The file appears whole or not at all."""
    name = path.name.lower()
    if not name.endswith(FORMATS):
        raise InputError(f"{path.name!r} names no format: end it with one of {', '.join(FORMATS)}.")
    lines = (line(case, result) for case, result in pairs)
    write = _parquet if name.endswith(".parquet") else _csv if ".csv" in name[-7:] else _jsonl
    with replacing(path) as file:
        if not name.endswith(".gz"):
            return write(lines, file)
        with gzip.GzipFile(fileobj=file, mode="wb", mtime=0) as packed:
            return write(lines, packed)


def _jsonl(lines: Iterator[dict[str, Any]], file: Bytes) -> int:
    count = 0
    for made in lines:
        file.write(msgspec.json.encode(made, enc_hook=str) + b"\n")
        count += 1
    return count


def _csv(lines: Iterator[dict[str, Any]], file: Bytes) -> int:
    text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    writer: csv.DictWriter[str] | None = None
    count = 0
    for made in lines:
        count += 1
        if writer is None:
            writer = csv.DictWriter(text, list(made))
            writer.writeheader()
        writer.writerow(made | {key: _json(made[key]) for key in (*_STRUCTURED, *_LISTS)})
    text.detach()
    return count


def _json(value: Any) -> str | None:
    return None if value is None else msgspec.json.encode(value, enc_hook=str).decode()


def _parquet(lines: Iterator[dict[str, Any]], file: Bytes) -> int:
    try:
        import pyarrow.parquet as pq
    except ImportError as error:
        raise MissingExtra("parquet", "writing Parquet") from error
    count = 0
    with pq.ParquetWriter(file, arrow_table([]).schema) as writer:
        while batch := list(islice(lines, _BATCH)):
            writer.write_table(arrow_table(batch))
            count += len(batch)
    return count


def arrow_table(lines: Sequence[dict[str, Any]]) -> Any:
    """Lines as an Arrow table, where what has a structure stands as JSON."""
    import pyarrow as pa

    schema = pa.schema([(name, _arrow(pa, kind)) for name, kind in _KINDS.items()])
    flat = [made | {key: _json(made[key]) for key in _STRUCTURED} for made in lines]
    return pa.Table.from_pylist(flat, schema=schema)


_KINDS = {
    "id": "text",
    "metric": "text",
    "score": "number",
    "label": "text",
    "probability": "number",
    "reason": "text",
    "outcome": "text",
    "passed": "truth",
    "threshold": "number",
    "direction": "text",
    "input": "text",
    "output": "text",
    "context": "texts",
    "figures": "text",
    "verdicts": "text",
    "failure": "text",
    "notes": "texts",
    "judge": "text",
    "metric_version": "text",
    "calls": "count",
    "input_tokens": "count",
    "output_tokens": "count",
    "cost": "number",
    "latency_ms": "number",
    "metadata": "text",
}


def _arrow(pa: Any, kind: str) -> Any:
    made = {
        "text": pa.string(),
        "number": pa.float64(),
        "truth": pa.bool_(),
        "texts": pa.list_(pa.string()),
        "count": pa.int64(),
    }
    return made[kind]


def to_pandas(pairs: Pairs) -> pandas.DataFrame:
    """The results as a table."""
    try:
        import pandas as pd
    except ImportError as error:
        raise MissingExtra("pandas", "a table of the run") from error
    table: pandas.DataFrame = pd.DataFrame((line(c, r) for c, r in pairs), columns=list(_KINDS))
    return table
