"""Settings files that may be used: the user's own, and with `halluscope trust` those that send texts elsewhere."""

from __future__ import annotations

import hashlib
import ipaddress
import os
import stat
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

import msgspec

from ...core.errors import InputError
from ...core.plumbing.home_folder import home
from ...core.plumbing.whole_file import replacing
from ...engine.judge import DEFAULT, PROVIDERS
from ...engine.judge import VARIABLE as JUDGE
from .known import BASE_URL, HOME, WEBHOOK


def refuse_file_of_others(path: Path, *, otherwise: str) -> None:
    """Raise where another user owns a file, or may write to it or to its folder. Windows has no such check.

    The administrator counts as the user. `otherwise` says what to do about it.
    """
    if os.name != "posix":
        return
    for checked in dict.fromkeys((path, path.parent, path.resolve().parent)):
        state = checked.stat()
        named = "it" if checked == path else f"its folder {checked}"
        if state.st_uid not in (0, os.geteuid()):
            raise InputError(f"{path} is not used because {named} belongs to another user: {otherwise}.")
        if state.st_mode & stat.S_IWOTH or (state.st_mode & stat.S_IWGRP and not _is_private_group(state.st_gid)):
            raise InputError(f"{path} is not used because other users may write to {named}: {otherwise}.")


def _is_private_group(group_id: int) -> bool:
    """Return whether only the user is in a group, as in the group of the user's own name that Linux makes."""
    import grp
    import pwd

    if group_id == 0:
        return True
    try:
        group, name = grp.getgrgid(group_id), pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return False
    return group.gr_name == name and set(group.gr_mem) <= {name}


def reasons_to_ask(path: Path, settings: Mapping[str, str]) -> list[str]:
    """Return what a settings file does that the user has to allow first."""
    reasons = []
    judge = os.environ.get(JUDGE) or settings.get(JUDGE) or DEFAULT
    address = settings.get(BASE_URL)
    if address is not None and "/" in judge and not _is_expected(judge, address):
        reasons.append(f"sends texts and keys to {_host(address)}")
    if "://" in settings.get(JUDGE, ""):
        reasons.append("names an address in judge.name")
    if settings.get(WEBHOOK) and not _is_here(settings[WEBHOOK]):
        reasons.append(f"posts alerts to {_host(settings[WEBHOOK])}")
    folder = settings.get(HOME)
    if folder is not None and not Path(folder).is_relative_to(path.parent.resolve()):
        reasons.append(f"keeps runs outside its own folder, in {folder}")
    return reasons


def refuse_untrusted(path: Path, content: bytes, settings: Mapping[str, str]) -> None:
    """Raise where the file does something that the user has not allowed yet."""
    reasons = reasons_to_ask(path, settings)
    if not reasons:
        return
    known = trusted_files().get(str(path.resolve()))
    if known == _hash(content):
        return
    what = " and ".join(reasons)
    changed = "has changed since you trusted it, and " if known else ""
    raise InputError(
        f"{path} {changed}{what}: read the file, then allow this with `halluscope trust`, "
        "or set HALLUSCOPE_CONFIG= to do without the file."
    )


def trusted_files() -> dict[str, str]:
    """Return the hash of each trusted file, by its path."""
    path = _record()
    if not path.exists():
        return {}
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, str])
    except msgspec.DecodeError as error:
        raise InputError(f"{path} cannot be read ({error}): delete it, and trust your files again.") from error


def trust(path: Path, content: bytes) -> None:
    """Record that the user trusts a file as long as its content stays the same."""
    _write({**trusted_files(), str(path.resolve()): _hash(content)})


def forget(path: Path) -> None:
    """Stop trusting a file."""
    known = trusted_files()
    if known.pop(str(path.resolve()), None) is None:
        raise InputError(f"{path} is not trusted; `halluscope trust --list` shows the files that are.")
    _write(known)


def _write(known: dict[str, str]) -> None:
    with replacing(_record()) as file:
        file.write(msgspec.json.format(msgspec.json.encode(known), indent=2) + b"\n")


def _record() -> Path:
    return home() / "trusted.json"


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _host(address: str) -> str:
    """Return an address without its user, password and path."""
    parts = _parts(address)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def _parts(address: str) -> SplitResult:
    try:
        return urlsplit(address)
    except ValueError as error:
        raise InputError(f"{address!r} is no web address: write it like http://localhost:8000/v1.") from error


def _is_expected(judge: str, address: str) -> bool:
    """Return whether an address is the provider's own, or on this machine without a key that would be sent."""
    provider = next((one for one in PROVIDERS if judge.startswith(f"{one.prefix}/")), None)
    if provider is None:
        return False
    if provider.home and _parts(address)[:2] == urlsplit(provider.home)[:2]:
        return True
    return provider.prefix != "litellm" and not provider.key_from(None) and _is_here(address)


def _is_here(address: str) -> bool:
    host = _parts(address).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
