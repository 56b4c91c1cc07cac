"""Downloading the files of public datasets.

Files are kept in `HALLUSCOPE_HOME/sets`. If the hash of a file is unknown, that of the first download is written to
`lock.json`. Files with another hash are refused.
"""

from __future__ import annotations

import hashlib
import logging
import os
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from ...core.errors import FetchError, InputError, MissingExtra
from ...core.plumbing.home_folder import home
from ...core.plumbing.whole_file import replacing

TIMEOUT = 60.0
TOKEN = "HF_TOKEN"


class RemoteFile(Struct, frozen=True):
    """A file at a fixed revision. `gated` files need a token of the user."""

    url: str
    revision: str | None = None
    sha256: str | None = None
    gated: bool = False

    @property
    def name(self) -> str:
        return self.url.rsplit("/", 1)[-1]


def fetched(group: str, remote: RemoteFile, *, offline: bool = False) -> Path:
    """Return the path of a file, which is downloaded if necessary."""
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
    """Download a file, atomically and with a check of its hash."""
    if urlsplit(remote.url).scheme not in ("https", "http"):
        raise InputError(f"{remote.url!r} is not a URL.")
    try:
        import pooch
        import requests
    except ImportError as error:
        raise MissingExtra("bench", "downloading a public dataset") from error
    pooch.get_logger().setLevel(logging.WARNING)  # no progress on stderr
    headers = {"User-Agent": "halluscope"}
    token = os.environ.get(TOKEN)
    if remote.gated and token:
        headers["Authorization"] = f"Bearer {token}"  # not sent to another host after a redirect
    get = pooch.HTTPDownloader(timeout=TIMEOUT, headers=headers)
    try:
        pooch.retrieve(remote.url, wanted and f"sha256:{wanted}", path.name, path.parent, downloader=get)
    except requests.HTTPError as error:
        assert error.response is not None
        error.response.close()
        code = error.response.status_code
        hint = f" Agree to its terms at its home and set {TOKEN}." if remote.gated and code in (401, 403) else ""
        raise FetchError(f"{remote.url} answered {code}.{hint}") from error
    except OSError as error:  # includes errors of requests
        raise FetchError(
            f"{remote.url} could not be downloaded ({error}): try again, or pass a copy with --file."
        ) from error
    except ValueError as error:
        raise _changed(remote, path.parent) from error


def _changed(remote: RemoteFile, folder: Path) -> FetchError:
    return FetchError(
        f"{remote.name} does not have the expected hash: it was changed or damaged. "
        f"Delete {str(folder)!r} to download it again."
    )


def _recorded(lock: Path) -> dict[str, str]:
    if not lock.exists():
        return {}
    try:
        return msgspec.json.decode(lock.read_bytes(), type=dict[str, str])
    except msgspec.DecodeError as error:
        raise FetchError(
            f"{str(lock)!r} cannot be read ({error}): delete its folder to download the dataset again."
        ) from error
