"""Fetching a set's files: once, complete or not at all, and the same bytes ever after.

Files are kept under `HALLUSCOPE_HOME/sets`. Where the right hash is known it is checked; where it is
not, the hash of the first download is written to `lock.json` beside the file, and from then on a file
with another hash is refused, whether it came from the network or lay on the disk.
"""

from __future__ import annotations

import hashlib
import logging
import os
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from ...errors import FetchError, InputError, MissingExtra
from ...plumbing.home_folder import home
from ...plumbing.whole_file import replacing

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
    path, lock = folder / remote.name, folder / "lock.json"
    recorded = _recorded(lock)
    wanted = remote.sha256 or recorded.get(remote.name)
    if not path.exists():
        if offline:
            raise FetchError(f"{remote.name} of {group} is not on this machine: pass a copy with --file.")
        _download(remote, path, wanted)
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if wanted is None:
        with replacing(lock) as file:
            file.write(msgspec.json.format(msgspec.json.encode({**recorded, remote.name: found}), indent=2) + b"\n")
    elif found != wanted:
        raise _changed(remote, folder)
    return path


def _download(remote: RemoteFile, path: Path, wanted: str | None) -> None:
    """Puts the file at `path`, whole and with the right hash, or not at all."""
    if urlsplit(remote.url).scheme not in ("https", "http"):
        raise InputError(f"{remote.url!r} is not a web address.")
    try:
        import pooch
        import requests
    except ImportError as error:
        raise MissingExtra("bench", "fetching a public set") from error
    pooch.get_logger().setLevel(logging.WARNING)  # else it tells on stderr how it goes
    headers = {"User-Agent": "halluscope"}
    token = os.environ.get(TOKEN)
    if remote.gated and token:
        headers["Authorization"] = f"Bearer {token}"  # left out on a redirect to another host
    get = pooch.HTTPDownloader(timeout=TIMEOUT, headers=headers)
    try:
        pooch.retrieve(remote.url, wanted and f"sha256:{wanted}", path.name, path.parent, downloader=get)
    except requests.HTTPError as error:
        assert error.response is not None
        code = error.response.status_code
        hint = f" Agree to its terms at its home and set {TOKEN}." if remote.gated and code in (401, 403) else ""
        raise FetchError(f"{remote.url} answered {code}.{hint}") from error
    except OSError as error:  # those of requests are, too
        raise FetchError(
            f"{remote.url} could not be fetched ({error}): try again or, without a network, pass a copy with --file."
        ) from error
    except ValueError as error:
        raise _changed(remote, path.parent) from error


def _changed(remote: RemoteFile, folder: Path) -> FetchError:
    return FetchError(
        f"{remote.name} does not have the hash that is known for it: it was changed or damaged. "
        f"Delete {str(folder)!r} to fetch it anew."
    )


def _recorded(lock: Path) -> dict[str, str]:
    if not lock.exists():
        return {}
    try:
        return msgspec.json.decode(lock.read_bytes(), type=dict[str, str])
    except msgspec.DecodeError as error:
        raise FetchError(f"{str(lock)!r} cannot be read ({error}): delete its folder to fetch the set anew.") from error
