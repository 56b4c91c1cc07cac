"""Send scores to a sink, those of a stored run too, and alerts to a webhook. Each request is retried."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from itertools import islice
from typing import Any
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from ..core.errors import InputError, JudgeError, JudgeThrottled, JudgeUnavailable, JudgeUnreachable, SendError
from ..core.plumbing.public import public_in
from ..core.plumbing.sync import blocking
from ..core.plumbing.time_limit import time_limit
from ..core.redaction import as_cause, keep_secret
from ..engine.retrying import RetryPolicy
from ..judges.chat import http
from ..judges.chat.session import session
from ..runs.alerts import Alert
from ..runs.run import Run
from .score import Score, ids_of, time_of
from .sink import Request, Sink, SinkSpec, sink_of

POLICY = RetryPolicy(deadline=60.0, timeout=20.0)
_UNREACHABLE_RETRIES = 2
_KEYS = (401, 403)


_AT_ONCE = 200
"""Results that are read and sent together."""


@public_in("halluscope.sinks")
class Sent(Struct, frozen=True):
    """The number of scores by what happened to them.

    Attributes:
        sent: Number of results that the sink took.
        problems: A sentence for each one that it did not take.
        without_trace: Number of results without the id of a trace, which were not sent.
    """

    sent: int = 0
    problems: tuple[str, ...] = ()
    without_trace: int = 0

    def __add__(self, other: Sent) -> Sent:
        return Sent(self.sent + other.sent, self.problems + other.problems, self.without_trace + other.without_trace)


async def deliver(sink: Sink, scores: Sequence[Score], policy: RetryPolicy = POLICY) -> Sent:
    """Send scores to a sink, or raise `SendError`."""
    done = Sent()
    for start in range(0, len(scores), sink.batch):
        batch = scores[start : start + sink.batch]
        problems = await _run(sink, batch, policy)
        done += Sent(max(0, len(batch) - len(problems)), tuple(problems))
    return done


async def _run(sink: Sink, batch: Sequence[Score], policy: RetryPolicy) -> Sequence[str]:
    flow = sink.flow(batch)
    try:
        request = next(flow)
        while True:
            try:
                answer = await deliver_request(sink.name, f"{sink.url}{request.path}", sink.headers, request, policy)
            except SendError as error:
                request = flow.throw(error)
            else:
                request = flow.send(answer)
    except StopIteration as end:
        return end.value or ()


async def deliver_request(
    to: str, url: str, headers: dict[str, str], request: Request, policy: RetryPolicy = POLICY, what: str = "the scores"
) -> Any:
    """Send a request until it is answered, or raise `SendError`. Return the decoded response, None if it is no JSON."""
    end = time.monotonic() + policy.deadline
    attempt = 0
    while True:
        try:
            return await _once(url, headers, request, policy.timeout)
        except JudgeUnavailable as error:
            most = _UNREACHABLE_RETRIES if isinstance(error, JudgeUnreachable) else policy.retries
            wait = policy.wait(attempt, error.retry_after if isinstance(error, JudgeThrottled) else None)
            if attempt >= most or time.monotonic() + wait > end:
                reason = f"it is out of order (HTTP {error.status})" if error.status else str(error)
                raise SendError(f"{to} did not take {what}: {reason}.", status=error.status) from as_cause(error)
        except JudgeError as error:
            said = http.message_of(error.body or "").rstrip(".")
            advice = " Check its keys." if error.status in _KEYS else ""
            reason = f"HTTP {error.status}: {said}" if error.status else str(error)
            raise SendError(f"{to} refused {what} ({reason}).{advice}", status=error.status) from as_cause(error)
        await asyncio.sleep(wait)
        attempt += 1


async def _once(url: str, headers: dict[str, str], request: Request, timeout: float) -> Any:
    client = await session()
    with http.client_errors(url, f"no response from {{}} within {timeout:.3g} s"):
        sending = http.requested(client, url, headers, request.body, method=request.method)
        async with time_limit(timeout), sending as response:
            http.reached(url)
            await http.check_status(response)
            content = await http.received(response, http.RESPONSE_LIMIT)
    try:
        return msgspec.json.decode(content)
    except msgspec.DecodeError:
        return None


def checked_webhook(url: str) -> str:
    """Check the address of a webhook. Its path may be secret, so it appears in no message."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError("the webhook for alerts is not a web address: write it as https://host/path.")
    keep_secret(parts.path.strip("/"), parts.query)
    return url


async def post_alert(url: str, alert: Alert) -> None:
    """Post an alert as JSON: its fields, and `text` for chat tools. No judged text is sent."""
    body = {"text": alert.message, **msgspec.to_builtins(alert)}
    await deliver_request("the webhook", url, {}, Request("", body), what="the alert")


@public_in("halluscope.sinks")
async def asend_run(run: Run | str, to: SinkSpec, *, trace_id: str | None = None, span_id: str | None = None) -> Sent:
    """Send each result of a stored run to the trace that it is about. What was sent before is updated.

    Args:
        run: A run, or its name in the store.
        to: The sink, or its name: "langfuse", "phoenix", "opik", "mlflow" or "otel".
        trace_id: Name of the metadata column with the ids of the traces. By default `trace_id`, or else the case's
            own id if it looks like that of a trace.
        span_id: Name of the metadata column with the ids of the spans. By default `span_id`.

    Returns:
        How many results were sent, and why others were not.

    Raises:
        SendError: If the sink refuses the scores or cannot be reached.
    """
    stored, sink = Run(run) if isinstance(run, str) else run, sink_of(to)
    pairs, done = stored.pairs(), Sent()
    while batch := list(islice(pairs, _AT_ONCE)):
        scores: list[Score] = []
        for case, result in batch:
            ids = ids_of(case, trace_id, span_id)
            try:
                if ids is None:
                    done += Sent(without_trace=1)
                else:
                    scores.append(Score(sink.ids(ids), stored.name, result, time_of(case) or stored.created))
            except InputError as error:
                done += Sent(problems=(str(error),))
        done += await deliver(sink, scores)
    return done


send_run = blocking(asend_run, "send_run")
