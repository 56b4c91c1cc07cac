"""Fetching a set's files: once, complete or not at all, and the same bytes ever after.

Files are kept under `HALLUSCOPE_HOME/sets`. Where the right hash is known it is checked; where it is
not, the hash of the first download is written to `lock.json` beside the file, and from then on a file
with another hash is refused, whether it came from the network or lay on the disk.
"""

from __future__ import annotations

import hashlib
import os
import urllib.error
import urllib.request
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from ...errors import FetchError, InputError
from ...plumbing.whole_file import replacing
from ...store import home

TIMEOUT = 60.0
TOKEN = "HF_TOKEN"


class RemoteFile(Struct, frozen=True):
    """A file at a fixed revision. `gated` files need the user's own token."""

    url: str
    revision: str | None = None
    sha256: str | None = None
    gated: bool = False

    @property
    def name(self) -> str:
        return self.url.rsplit("/", 1)[-1]


def fetched(group: str, remote: RemoteFile, *, offline: bool = False) -> Path:
    """The file on this machine, fetched if it is not there yet."""
    folder = home() / "sets" / group / (remote.revision or "unpinned")[:12]
    path = folder / remote.name
    if not path.exists():
        if offline:
            raise FetchError(f"{remote.name} of {group} is not on this machine: pass a copy with --file.")
        folder.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_name(f"{path.name}.{os.getpid()}.part")
        try:
            _download(remote, unfinished)
            _check(remote, unfinished, folder)
            unfinished.replace(path)
        finally:
            unfinished.unlink(missing_ok=True)
        return path
    _check(remote, path, folder)
    return path


def _download(remote: RemoteFile, path: Path) -> None:
    if urlsplit(remote.url).scheme not in ("https", "http"):
        raise InputError(f"{remote.url!r} is not a web address.")
    request = urllib.request.Request(remote.url, headers={"User-Agent": "halluscope"})  # noqa: S310 - checked above
    token = os.environ.get(TOKEN)
    if remote.gated and token:
        # Not repeated on a redirect to another host, which would be shown the token.
        request.add_unredirected_header("Authorization", f"Bearer {token}")
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT) as reply, path.open("wb") as file:  # noqa: S310
            expected = reply.headers.get("Content-Length")
            while piece := reply.read(1 << 20):
                file.write(piece)
            written = file.tell()
    except urllib.error.HTTPError as error:
        hint = f" Agree to its terms at its home and set {TOKEN}." if remote.gated and error.code in (401, 403) else ""
        raise FetchError(f"{remote.url} answered {error.code}.{hint}") from error
    except (OSError, ValueError) as error:
        raise FetchError(
            f"{remote.url} could not be fetched ({error}): without a network, pass a copy with --file."
        ) from error
    if expected is not None and written != int(expected):
        raise FetchError(f"{remote.url} broke off after {written} of {expected} bytes: try again.")


def _check(remote: RemoteFile, path: Path, folder: Path) -> None:
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    lock = folder / "lock.json"
    recorded = _recorded(lock)
    wanted = remote.sha256 or recorded.get(remote.name)
    if wanted is None:
        recorded[remote.name] = found
        with replacing(lock) as file:
            file.write(msgspec.json.format(msgspec.json.encode(recorded), indent=2) + b"\n")
    elif found != wanted:
        raise FetchError(
            f"{remote.name} has the hash {found[:16]}…, not {wanted[:16]}…: it was changed or damaged. "
            f"Delete {str(folder)!r} to fetch it anew."
        )


def _recorded(lock: Path) -> dict[str, str]:
    if not lock.exists():
        return {}
    try:
        return msgspec.json.decode(lock.read_bytes(), type=dict[str, str])
    except msgspec.DecodeError as error:
        raise FetchError(f"{str(lock)!r} cannot be read ({error}): delete its folder to fetch the set anew.") from error
