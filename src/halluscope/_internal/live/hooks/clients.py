"""Hooks for the clients of OpenAI and Anthropic. All their calls go through the method `request`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from msgspec import Struct

from ...core.conversation import text_of_piece
from ...core.errors import InputError
from ..live_answer import LiveAnswer
from ..stream_proxy import StreamProxy
from .common import Watcher, as_messages


class _Call(Struct, frozen=True):
    """One kind of call: the end of its path, and how to read its request and response."""

    path: str
    request: Callable[[dict[str, Any]], list[Any]]
    response: Callable[[LiveAnswer, Any], None]


def watch_openai(client: Any, live: Watcher) -> Any:
    return _watch(client, live, "openai", _OPENAI)


def watch_anthropic(client: Any, live: Watcher) -> Any:
    return _watch(client, live, "anthropic", _ANTHROPIC)


def _chat(answer: LiveAnswer, response: Any) -> None:
    answer.output = response.choices[0].message.content or None


def _responses(answer: LiveAnswer, response: Any) -> None:
    """Read the answer, and the results of the server's own tools."""
    answer.output = response.output_text or None
    answer.later(lambda: answer.heard(as_messages(None, [item for item in response.output if item.type != "message"])))


def _messages(answer: LiveAnswer, response: Any) -> None:
    answer.output = response if any(block.type == "text" for block in response.content) else None


_OPENAI = (
    _Call("/chat/completions", lambda body: as_messages(None, body.get("messages")), _chat),
    _Call("/responses", lambda body: as_messages(body.get("instructions"), body.get("input")), _responses),
)
_ANTHROPIC = (_Call("/messages", lambda body: as_messages(body.get("system"), body.get("messages")), _messages),)


def _watch(client: Any, live: Watcher, package: str, calls: tuple[_Call, ...]) -> Any:
    if type(client).__module__.partition(".")[0] != package or not callable(getattr(client, "request", None)):
        raise InputError(f"a {type(client).__name__} is not a client of the package {package}.")
    request = client.request

    def begin(options: Any) -> tuple[_Call, LiveAnswer] | None:
        path = str(options.url).partition("?")[0]
        call = next((call for call in calls if path.endswith(call.path)), None)
        if call is None or options.method.lower() != "post" or not isinstance(options.json_data, dict):
            return None
        answer = LiveAnswer(hooked=True)
        body = dict(options.json_data)
        answer.later(lambda: answer.heard(call.request(body), first=True))
        return call, answer

    def end(begun: tuple[_Call, LiveAnswer] | None, response: Any) -> Any:
        if begun is None:
            return response
        call, answer = begun
        if hasattr(response, "http_response") and hasattr(response, "parse"):
            return _parsed_later(response, lambda parsed: end(begun, parsed))
        if hasattr(response, "__anext__") or hasattr(response, "__next__"):

            def see(piece: Any) -> None:
                answer.said(text_of_piece(piece) or "")
                answer.response_id = answer.response_id or _id_in(piece)

            def finish() -> None:
                live.submit(answer)

            return StreamProxy(response, lambda piece: live.quietly(lambda: see(piece)), lambda: live.quietly(finish))
        call.response(answer, response)
        answer.response_id = getattr(response, "id", None)
        live.submit(answer)
        return response

    def finished(begun: Any, response: Any) -> Any:
        seen = live.quietly(lambda: end(begun, response))
        return response if seen is None else seen

    if inspect.iscoroutinefunction(request):

        async def watched_async(cast_to: Any, options: Any, **more: Any) -> Any:
            begun = live.quietly(lambda: begin(options))
            return finished(begun, await request(cast_to, options, **more))

        client.request = watched_async
    else:

        def watched(cast_to: Any, options: Any, **more: Any) -> Any:
            begun = live.quietly(lambda: begin(options))
            return finished(begun, request(cast_to, options, **more))

        client.request = watched
    _watch_copies(client, live, package, calls)
    return client


def _watch_copies(client: Any, live: Watcher, package: str, calls: tuple[_Call, ...]) -> None:
    """Also watch clients created with `client.with_options(…)`."""
    copy = client.copy

    def copied(**changes: Any) -> Any:
        return _watch(copy(**changes), live, package, calls)

    client.copy = client.with_options = copied


def _parsed_later(raw: Any, seen: Callable[[Any], Any]) -> Any:
    """Watch a raw response, which is read when the application parses it."""
    parse = raw.parse
    first: list[Any] = []

    def keep(parsed: Any) -> Any:
        if not first:
            first.append(seen(parsed))
        return first[0]

    def parsed(*args: Any, **options: Any) -> Any:
        return keep(parse(*args, **options))

    async def parsed_async(*args: Any, **options: Any) -> Any:
        return keep(await parse(*args, **options))

    raw.parse = parsed_async if inspect.iscoroutinefunction(parse) else parsed
    return raw


def _id_in(piece: Any) -> str | None:
    """Return the id of the response, which some chunks contain."""
    held = getattr(piece, "response", None) or getattr(piece, "message", None) or piece
    found = getattr(held, "id", None)
    return found if isinstance(found, str) else None
