"""Does what a reader of a page does: runs its blocks one after the other, here, with what is installed.

It is run by the Python of another environment and knows nothing of the tests. The blocks come as JSON on standard
input; a block with a title is saved under that name, the others are run.
"""

from __future__ import annotations

import ast
import io
import json
import os
import shlex
import subprocess
import sys
import tokenize
from contextlib import redirect_stdout
from multiprocessing.connection import Client
from typing import Any

NOT_MET = {"check", "eval"}
"""Commands that end with 1 where the output does not pass: that is an answer, not an error."""


def run(block: dict[str, Any], names: dict[str, object]) -> None:
    """One block."""
    if block["title"]:
        with open(block["title"], "w", encoding="utf-8") as file:  # noqa: PTH123 - as a reader's editor does
            file.write(block["code"])
    elif block["language"] == "python":
        run_python(block["code"], block["place"], names)
    else:
        for command in commands(block["code"]):
            run_command(command)


def run_python(code: str, place: str, names: dict[str, object]) -> None:
    """Statement by statement. Where a comment follows a print, it says what is printed."""
    comments = {
        token.start[0]: token.string.removeprefix("#").strip()
        for token in tokenize.generate_tokens(io.StringIO(code).readline)
        if token.type == tokenize.COMMENT
    }
    for statement in ast.parse(code, place).body:
        printed = io.StringIO()
        module = ast.Module([statement], type_ignores=[])
        with redirect_stdout(printed):
            exec(compile(module, place, "exec"), names)
        print(printed.getvalue(), end="", flush=True)
        said = comments.get(statement.end_lineno or 0)
        if said and ast.unparse(statement).startswith("print("):
            assert printed.getvalue().strip() == said, f"{place} says {said!r}, printed is {printed.getvalue()!r}"


def commands(code: str) -> list[list[str]]:
    """What stands behind the prompts; other lines show what is printed."""
    lines = code.replace("\\\n", " ").splitlines()
    return [shlex.split(line[2:], comments=True) for line in lines if line.startswith("$ ")]


def run_command(command: list[str]) -> None:
    """As a shell would, but without one: they differ from system to system."""
    assert command[0] in ("halluscope", "pytest"), f"{command[0]} is nothing that comes with the package"
    if command[0] == "pytest":
        command = [sys.executable, "-m", *command]
    if command[:2] == ["halluscope", "label"]:
        code, output = in_a_terminal(command, "q quit", keys="fhq")
    elif command[0] == "halluscope":
        with Client(os.environ["COMMANDS"]) as commands:
            commands.send((command, os.getcwd(), dict(os.environ)))  # noqa: PTH109 - as the other end takes it
            code, output = commands.recv()
    else:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, encoding="utf-8")
        code, output = done.returncode, done.stdout + done.stderr
    allowed = (0, 1) if command[0] == "halluscope" and command[1] in NOT_MET else (0,)
    assert code in allowed, f"{shlex.join(command)} ended with {code}:\n{output}"


def in_a_terminal(command: list[str], prompt: str, keys: str) -> tuple[int, str]:
    """With someone who presses a key at each prompt. Windows has no terminal that a program could play on."""
    if sys.platform == "win32":
        return 0, ""
    import pty

    ours, theirs = pty.openpty()
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    output, pressed = b"", 0
    try:
        while piece := os.read(ours, 4096):
            output += piece
            if output.count(prompt.encode()) > pressed < len(keys):
                os.write(ours, keys[pressed].encode())
                pressed += 1
    except OSError:  # how Linux says that the other end is closed
        pass
    os.close(ours)
    return process.wait(), output.decode("utf-8", "replace")


def main() -> None:
    """All blocks of a page; names live on from block to block."""
    names: dict[str, object] = {"__name__": "__main__"}
    for block in json.load(sys.stdin):
        print(f"-- {block['place']}", flush=True)
        run(block, names)


if __name__ == "__main__":
    main()
