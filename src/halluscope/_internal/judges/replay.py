"""Recording and replaying the replies of a judge, without keys or network.

A recording is a JSON file in the repository of the tests. It contains usable replies under a hash of the question. A
changed prompt, output or context is another question, which must be recorded again.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET, Struct, UnsetType, structs

from ..core.errors import InputError, JudgeError
from ..core.plumbing.json_values import decode_json
from ..core.plumbing.public import public_in
from ..core.plumbing.whole_file import replacing
from ..engine.judge import Answer, Call, Judge
from ..engine.questions import Question
from ..text.lenient_json import CODE

T = TypeVar("T")

FORMAT = 1
_SHOWN = 100


@public_in("halluscope.judges")
class MissingRecording(JudgeError):
    """There is no recorded reply for a question."""

    kind = "unrecorded"


@public_in("halluscope.judges")
class Recorded(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One recorded answer.

    Attributes:
        question: The kind of question.
        judge: Name of the judge.
        about: The beginning of the judged text, for readers of the file.
        reply: The reply of a model, decoded if it is JSON.
        value: The answer, if it is not in a single reply, for example because it was merged from parts.
    """

    question: str
    judge: str
    about: str = ""
    reply: Any = UNSET
    value: Any = UNSET
    notes: tuple[str, ...] = ()


class _File(Struct, kw_only=True):
    halluscope_recording: int = FORMAT
    replies: dict[str, Recorded] = {}


@public_in("halluscope.judges")
class Recording:
    """The recorded replies in a file.

    Args:
        path: The file. It is written by `save` only.

    Example:
        >>> recording = Recording("recordings/answers.json")
        >>> judge = ReplayJudge(recording, "openai/gpt-4o-mini")
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._replies = _read(self.path)
        self._used: set[str] = set()
        self._changed = False

    def __len__(self) -> int:
        return len(self._replies)

    def find(self, key: str) -> Recorded | None:
        """Return the reply for a key, or None."""
        found = self._replies.get(key)
        if found is not None:
            self._used.add(key)
        return found

    def add(self, key: str, recorded: Recorded) -> None:
        """Add a reply, replacing an older one."""
        self._replies[key] = recorded
        self._used.add(key)
        self._changed = True

    def forget_unused(self) -> None:
        """Remove unused replies, whose questions have changed or are gone."""
        kept = {key: reply for key, reply in self._replies.items() if key in self._used}
        self._changed |= len(kept) < len(self._replies)
        self._replies = kept

    def save(self) -> bool:
        """Write the file if anything changed. A file without replies is removed. Returns whether anything changed."""
        if not self._changed:
            return False
        self._changed = False
        if not self._replies:
            self.path.unlink(missing_ok=True)
            return True
        content = msgspec.json.format(msgspec.json.encode(_File(replies=self._replies)), indent=2)
        with replacing(self.path) as file:
            file.write(content + b"\n")
        return True


def _read(path: Path) -> dict[str, Recorded]:
    try:
        held = msgspec.json.decode(path.read_bytes(), type=_File)
    except FileNotFoundError:
        return {}
    except (msgspec.DecodeError, UnicodeDecodeError, OSError, RecursionError) as error:
        raise InputError(f"{path} cannot be read as a recording ({error}): delete it and record again.") from error
    if held.halluscope_recording != FORMAT:
        raise InputError(
            f"{path} is a recording of format {held.halluscope_recording}, this version reads {FORMAT}: "
            "delete it and record again."
        )
    return held.replies


@public_in("halluscope.judges")
class ReplayJudge:
    """A judge that answers from a recording.

    Args:
        recording: The recording.
        name: Name of the recorded judge.
        live: Creates the judge to ask, and to record, if a reply is missing. Without it, a missing reply is an error.
        settings: Options that change the answers of the judge. Replies recorded with other settings are not used.
        again: Replace recorded replies.
        how: The end of the error message for a missing reply.

    Example:
        >>> judge = ReplayJudge(Recording("answers.json"), "openai/gpt-4o-mini")
    """

    asks = True
    window = None

    def __init__(
        self,
        recording: Recording,
        name: str,
        *,
        live: Callable[[], Judge] | None = None,
        settings: Mapping[str, Any] | None = None,
        again: bool = False,
        how: str = "record it",
    ) -> None:
        self.name = name
        self.recording = recording
        self.missing: list[MissingRecording] = []
        self.recorded = 0
        self.replayed = 0
        self._make_live = live
        self._live: Judge | None = None
        self._settings = repr(sorted((settings or {}).items()))
        self._again = again
        self._how = how

    def fingerprint(self) -> str:
        return hashlib.sha256(f"replay {self.name} {self._settings} {self.recording.path}".encode()).hexdigest()

    def key(self, question: Question[Any], sample: int = 0) -> str:
        """Return the key of a question with this judge and these settings."""
        text = f"{self.name} {self._settings} {question.fingerprint()} {sample}"
        return hashlib.sha256(text.encode()).hexdigest()[:20]

    async def answer(self, question: Question[T], call: Call) -> Answer[T]:
        if call.ask is None:
            raise JudgeError("a replaying judge must be used through a metric, which lets it ask other judges.")
        key = self.key(question, call.sample)
        found = None if self._again and self._make_live else self.recording.find(key)
        if found is not None:
            self.replayed += 1
            return await call.ask(_Tape(found), question)
        if self._make_live is None:
            why = f"no reply of {self.name} to this {question.kind} question is recorded in {self.recording.path}"
            self.missing.append(MissingRecording(f"{why}: {self._how}"))
            raise self.missing[-1]
        if self._live is None:
            self._live = self._make_live()
        answer = await call.ask(self._live, question)
        self.recording.add(key, _recorded(question, answer))
        self.recorded += 1
        return answer


class _Tape:
    """A judge that gives one recorded answer."""

    asks = False
    window = None

    def __init__(self, recorded: Recorded) -> None:
        self.name = recorded.judge
        self._recorded = recorded

    def fingerprint(self) -> str:
        return hashlib.sha256(msgspec.json.encode(self._recorded)).hexdigest()

    async def answer(self, question: Question[T], call: Call) -> Answer[T]:
        recorded = self._recorded
        prompt = str(question.prompt) if question.template else None
        answer: Answer[T] = Answer(judge=recorded.judge, prompt=prompt, notes=recorded.notes)
        if not isinstance(recorded.reply, UnsetType):
            said = recorded.reply
            return structs.replace(
                answer, reply=said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
            )
        try:
            value = msgspec.convert(recorded.value, type=question.answer_type)
        except msgspec.ValidationError as error:
            raise JudgeError(f"the recorded answer cannot be read ({error}): record it again") from error
        return structs.replace(answer, value=value)


def _recorded(question: Question[Any], answer: Answer[Any]) -> Recorded:
    entry = Recorded(question=question.kind, judge=answer.judge, about=_about(question), notes=answer.notes)
    if answer.reply is not None and _holds(answer.reply, question, answer.value):
        return structs.replace(entry, reply=_as_data(answer.reply))
    return structs.replace(entry, value=msgspec.to_builtins(answer.value))


def _holds(reply: str, question: Question[Any], value: Any) -> bool:
    """Whether the answer can be read from the reply alone."""
    try:
        return bool(question.read_reply(reply) == value)
    except JudgeError:
        return False


def _as_data(reply: str) -> Any:
    """Decode a reply in JSON, which is more readable in the file."""
    try:
        data = decode_json(reply)
    except ValueError:
        return reply
    if isinstance(data, dict):
        return {key: value for key, value in data.items() if key != CODE}
    return data if isinstance(data, list) else reply


def _about(question: Question[Any]) -> str:
    """Return the beginning of the judged text, for readers of the file."""
    text = getattr(question, "output", None) or " | ".join(claim.text for claim in getattr(question, "claims", ()))
    flat = " ".join(str(text).split())
    return flat if len(flat) <= _SHOWN else f"{flat[:_SHOWN]}…"
