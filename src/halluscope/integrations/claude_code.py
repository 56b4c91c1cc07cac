"""Claude Code and agents with the same hooks: check the last answer against what tools returned before it.

    {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "python -m halluscope.integrations.claude_code"}]}]}}

A Stop hook gets JSON on standard input with the path of the transcript. An answer that is contradicted goes back to
the agent, once, with the reason. Anything that cannot be read or scored never stops the agent: the reason is on
standard error.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from halluscope import HalluscopeError, Result

from ._common import Check, no_score


def check_transcript(path: str | Path, judge: Any = "local", metric: str = "contradiction", **options: Any) -> Result:
    """Check the last answer of a transcript against the tool results before it.

    Args:
        path: The transcript, a JSON message a line.
        judge: Name or instance of the judge.
        metric: Name of the metric. `contradiction` does not object to what tools did not return.
        options: Options of the metric and the judge.
    """
    return Check(metric, judge, options).run(list(_messages(Path(path))))


def _messages(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            try:
                record = json.loads(line)
            except ValueError:  # a last line that is still being written
                continue
            message = record.get("message") if isinstance(record, dict) else None
            if isinstance(message, dict) and record.get("type") in ("user", "assistant"):
                yield {"role": message.get("role", record["type"]), "content": message.get("content")}


def main(arguments: list[str] | None = None) -> int:
    """Run as a Stop hook."""
    parser = argparse.ArgumentParser(prog="python -m halluscope.integrations.claude_code", description=main.__doc__)
    parser.add_argument("--judge", default="local", help="name of the judge")
    parser.add_argument("--metric", default="contradiction", help="name of the metric")
    chosen = parser.parse_args(arguments)
    try:
        event = json.load(sys.stdin)
        if event.get("stop_hook_active"):  # the agent goes on because of this hook: once is enough
            return 0
        result = check_transcript(event["transcript_path"], chosen.judge, chosen.metric)
    except (HalluscopeError, OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        sys.stderr.write(f"halluscope: the answer was not checked: {error}\n")
        return 0
    if result.score is None:
        sys.stderr.write(f"halluscope: {no_score(result)}\n")
    elif not result.passed:
        reason = f"halluscope found claims that tool results contradict. {result.reason}"
        sys.stdout.write(json.dumps({"decision": "block", "reason": f"{reason} Check them and correct your answer."}))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
