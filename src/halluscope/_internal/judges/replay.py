"""A judge that repeats what another one said: recorded once, then the same for ever, with no key and no network.

A recording is a JSON file to be kept with the tests. It holds replies that were usable, each under
the name of the question's content: a changed prompt, output or context is another question, and has
no reply until it is recorded.
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

from ..errors import InputError, JudgeError
from ..judge import Answer, Call, Judge
from ..plumbing.public import public_in
from ..plumbing.whole_file import replacing
from ..questions import Question
from ..text.lenient_json import CODE

T = TypeVar("T")

FORMAT = 1
_SHOWN = 100


@public_in("halluscope.judges")
class MissingRecording(JudgeError):
    """The question was never recorded."""

    kind = "unrecorded"


@public_in("halluscope.judges")
class Recorded(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One answer. `reply` is what a model wrote (as data where it wrote JSON); `value` is an answer that no single
    reply holds, such as one that was put together from parts."""

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
    """The replies in one file. Nothing is written before `save`."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._replies = _read(self.path)
        self._used: set[str] = set()
        self._changed = False

    def __len__(self) -> int:
        return len(self._replies)

    def find(self, key: str) -> Recorded | None:
        """The reply under this key."""
        found = self._replies.get(key)
        if found is not None:
            self._used.add(key)
        return found

    def add(self, key: str, recorded: Recorded) -> None:
        """Keep a reply, in the place of an older one."""
        self._replies[key] = recorded
        self._used.add(key)
        self._changed = True

    def forget_unused(self) -> None:
        """Drop the replies that nobody asked for: their questions have changed or gone."""
        kept = {key: reply for key, reply in self._replies.items() if key in self._used}
        self._changed |= len(kept) < len(self._replies)
        self._replies = kept

    def save(self) -> bool:
        """Write the file if anything changed; whether it did. A recording without replies is removed."""
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
    except (msgspec.DecodeError, UnicodeDecodeError, OSError) as error:
        raise InputError(f"{path} cannot be read as a recording ({error}): delete it and record again.") from error
    if held.halluscope_recording != FORMAT:
        raise InputError(
            f"{path} is a recording of format {held.halluscope_recording}, this version reads {FORMAT}: "
            "delete it and record again."
        )
    return held.replies


@public_in("halluscope.judges")
class ReplayJudge:
    """Answers from a recording. With `live` it asks that judge for what is missing, and records the answer.

    `live` makes the judge and is called only when it is needed, so replaying needs no key. `settings`
    are the options that change the judge's answers: what was recorded with others is not used.
    With `again`, recorded replies are not used but replaced. `how` ends the message for a missing reply.
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
        """The name of the question, asked of this judge with these settings."""
        said = f"{self.name} {self._settings} {question.fingerprint()} {sample}"
        return hashlib.sha256(said.encode()).hexdigest()[:20]

    async def answer(self, question: Question[T], call: Call) -> Answer[T]:
        if call.ask is None:
            raise JudgeError("a replaying judge asks others, and was given no way to: use it through a scorer.")
        key = self.key(question, call.sample)
        found = None if self._again and self._make_live else self.recording.find(key)
        if found is not None:
            self.replayed += 1
            return await call.ask(_Tape(found), question)
        if self._make_live is None:
            raise self._missed(question)
        if self._live is None:
            self._live = self._make_live()
        answer = await call.ask(self._live, question)
        self.recording.add(key, _recorded(question, answer))
        self.recorded += 1
        return answer

    def _missed(self, question: Question[Any]) -> MissingRecording:
        error = MissingRecording(
            f"no reply of {self.name} to this {question.kind} question is recorded in {self.recording.path}: "
            f"{self._how}"
        )
        self.missing.append(error)
        return error


class _Tape:
    """The judge that gives one recorded answer, so that it is read and shown like any other."""

    asks = False
    window = None

    def __init__(self, recorded: Recorded) -> None:
        self.name = recorded.judge
        self._recorded = recorded

    def fingerprint(self) -> str:
        return hashlib.sha256(msgspec.json.encode(self._recorded)).hexdigest()

    async def answer(self, question: Question[T], call: Call) -> Answer[T]:
        recorded = self._recorded
        answer: Answer[T] = Answer(judge=recorded.judge, prompt=_prompt(question), notes=recorded.notes)
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
    """Whether the reply alone says all of the answer."""
    try:
        return bool(question.read_reply(reply) == value)
    except JudgeError:
        return False


def _as_data(reply: str) -> Any:
    """A reply in JSON as data, which reads better in a file; any other as the text it is."""
    try:
        data = json.loads(reply, object_pairs_hook=_without_doubles)
    except (ValueError, RecursionError):
        return reply
    if isinstance(data, dict):
        return {key: value for key, value in data.items() if key != CODE}
    return data if isinstance(data, list) else reply


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    held = dict(pairs)
    if len(held) < len(pairs):
        raise ValueError("a key comes twice, so data would not hold all that was said")
    return held


def _prompt(question: Question[Any]) -> str | None:
    return str(question.prompt) if question.template else None


def _about(question: Question[Any]) -> str:
    """The beginning of what is asked about, for a person who reads the recording."""
    text = getattr(question, "output", None) or " | ".join(claim.text for claim in getattr(question, "claims", ()))
    flat = " ".join(str(text).split())
    return flat if len(flat) <= _SHOWN else f"{flat[:_SHOWN]}…"
