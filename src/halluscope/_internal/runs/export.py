"""Exporting results to files and DataFrames: one line per result, with its texts and verdicts."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Union

import msgspec
from msgspec import structs

from ..core.case import Case
from ..core.errors import InputError, MissingExtra
from ..core.plumbing.whole_file import replacing
from ..core.repair import Repaired
from ..core.result import Failure, Outcome, Result, Usage
from ..core.verdict import Verdict
from .datasets.files import escaped

if TYPE_CHECKING:
    import pandas

Bytes = Union[BinaryIO, gzip.GzipFile]
Pairs = Iterable[tuple[Case, Result]]

FORMATS = (".jsonl", ".jsonl.gz", ".csv", ".csv.gz", ".parquet")
_BATCH = 1000


def line(case: Case, result: Result) -> dict[str, Any]:
    """Return one result as a flat dictionary. All formats have the same columns."""
    turn = case.turn
    given = {
        **structs.asdict(result),
        **structs.asdict(result.usage),
        "id": case.id,
        "outcome": result.outcome.value,
        "input": case.input,
        "output": case.output,
        "context": None if case.context is None else list(case.context),
        "repaired": None if result.repair is None else result.repair.text,
        "repair": msgspec.to_builtins(result.repair),
        "verdicts": msgspec.to_builtins(result.verdicts),
        "failure": None if result.failure is None else result.failure.message,
        "notes": list(result.notes),
        "conversation": None if turn is None else turn.conversation,
        "turn": None if turn is None else turn.number,
        "tool": None if turn is None else turn.tool,
        "metadata": case.metadata,
    }
    return {name: given[name] for name in _TYPES}


def bad_line(reason: str) -> dict[str, Any]:
    """Return a line for a row that could not be read."""
    return dict.fromkeys(_TYPES) | {"outcome": "bad_row", "reason": reason}


def unline(row: Mapping[str, Any]) -> tuple[Case, Result]:
    """Read case and result from a line of a Parquet file. The exchanges are not in it."""
    case = Case(
        output=row["output"],
        context=None if row["context"] is None else tuple(row["context"]),
        input=row["input"],
        id=row["id"],
        metadata=msgspec.json.decode(row["metadata"]),
    )
    result = Result(
        **{name: row[name] for name in _AS_THEY_ARE},
        case_id=row["id"],
        outcome=Outcome(row["outcome"]),
        verdicts=msgspec.json.decode(row["verdicts"], type=tuple[Verdict, ...]),
        repair=msgspec.json.decode(row.get("repair") or "null", type=Union[Repaired, None]),
        failure=None if row["failure"] is None else Failure("error", row["failure"]),
        usage=Usage(row["calls"], row["input_tokens"], row["output_tokens"], row["cost"]),
        notes=tuple(row["notes"]),
        metadata=case.metadata,
    )
    return case, result


_AS_THEY_ARE = "metric metric_version judge score direction threshold passed label reason latency_ms".split()
_STRUCTURED = ("repair", "figures", "verdicts", "metadata")
_LISTS = ("context", "notes")


def export(pairs: Pairs, path: Path) -> int:
    """Write the results to a file, in the format of its ending, atomically."""
    name = path.name.lower()
    if not name.endswith(FORMATS):
        raise InputError(f"{path.name!r} has no known ending: use one of {', '.join(FORMATS)}.")
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
        flat = made | {key: _json(made[key]) for key in (*_STRUCTURED, *_LISTS)}
        writer.writerow({key: escaped(value) if isinstance(value, str) else value for key, value in flat.items()})
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
    """Convert lines to an Arrow table. Structured values become JSON."""
    import pyarrow as pa

    texts = pa.list_(pa.string())
    schema = pa.schema([(name, pa.type_for_alias(_TYPES[name]) if name not in _LISTS else texts) for name in _TYPES])
    flat = [made | {key: _json(made[key]) for key in _STRUCTURED} for made in lines]
    return pa.Table.from_pylist(flat, schema=schema)


_TYPES = dict.fromkeys(
    (
        "id metric score label probability reason outcome passed threshold direction input output context repaired "
        "repair figures verdicts failure notes judge metric_version calls input_tokens output_tokens cost latency_ms "
        "conversation turn tool metadata"
    ).split(),
    "string",
)
_TYPES |= dict.fromkeys(("score", "probability", "threshold", "cost", "latency_ms"), "double")
_TYPES |= dict.fromkeys(("calls", "input_tokens", "output_tokens", "turn"), "int64")
_TYPES["passed"] = "bool"
"""The columns of all formats, in their order, each with Arrow's name for its type, or that of the items of a list."""


def to_pandas(pairs: Pairs) -> pandas.DataFrame:
    """Convert results to a DataFrame."""
    try:
        import pandas as pd
    except ImportError as error:
        raise MissingExtra("pandas", "a table of the run") from error
    table: pandas.DataFrame = pd.DataFrame((line(c, r) for c, r in pairs), columns=list(_TYPES))
    return table
