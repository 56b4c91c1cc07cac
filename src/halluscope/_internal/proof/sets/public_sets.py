"""Public datasets: their sources, revisions and licences."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from ...core.errors import InputError, UnknownName
from ...core.plumbing.public import public, public_in
from ...core.version import __version__
from ...runs.labelled_case import LabelledCase
from .fetch import RemoteFile, fetched
from .formats import FORMATS
from .formats.ragtruth import RESPONSES
from .formats.row_readers import rows

PACKAGED = Path(__file__).with_name("packaged")


class PublicSet(Struct, frozen=True, kw_only=True):
    """A dataset that can be downloaded or is in the package. `note` is shown with results."""

    name: str
    about: str
    home: str
    licence: str
    fields: frozenset[str] = frozenset()
    """Fields that only the rows of its format have."""
    files: dict[str, tuple[RemoteFile, ...]] = {}
    """The files to download, by split."""
    file: str | None = None
    """The name of the file in the package."""
    split: str = "test"
    note: str = ""

    @property
    def packaged(self) -> Path | None:
        """The file in the package."""
        return None if self.file is None else PACKAGED / self.file

    @property
    def splits(self) -> tuple[str, ...]:
        return tuple(self.files) or (self.split,)


_LISTED = msgspec.json.decode(Path(__file__).with_name("public_sets.json").read_bytes(), type=list[PublicSet])
SETS = {item.name: item for item in _LISTED}


@public_in("halluscope.proof")
class Loaded(Struct, frozen=True, kw_only=True):
    """A dataset in memory.

    Attributes:
        name: Its name.
        cases: The labelled cases.
        source: Where it came from.
        licence: Its licence.
        notes: Notes about the dataset.
    """

    name: str
    cases: tuple[LabelledCase, ...]
    source: str
    licence: str | None = None
    notes: tuple[str, ...] = ()


@public
def load_set(spec: str, *, file: Path | None = None, split: str | None = None, offline: bool = False) -> Loaded:
    """Load a labelled dataset.

    Args:
        spec: Name of a public dataset, or a file. With `file`, the name of its format.
        file: Read the dataset from this file in its original format.
        split: A split other than the default.
        offline: Do not download anything.

    Returns:
        The dataset.

    Raises:
        InputError: There is no such dataset or file, or a row is invalid.
        FetchError: The dataset could not be downloaded.

    Example:
        >>> len(load_set("rag").cases)
        2112
    """
    if file is not None:
        if spec not in FORMATS:
            raise UnknownName("format", spec, FORMATS)
        return _from_file(spec, file, split)
    if spec in SETS:
        chosen = SETS[spec]
        wanted = split or chosen.split
        if wanted not in chosen.splits:
            raise UnknownName(f"split of {spec}", wanted, chosen.splits)
        if chosen.packaged is not None:
            paths, source = [chosen.packaged], f"the package, version {__version__}"
        else:
            paths = [fetched(spec, remote, offline=offline) for remote in chosen.files[wanted]]
            revision = chosen.files[wanted][0].revision or "unpinned"
            source = f"{chosen.home}, revision {revision[:12]}, split {wanted}"
        notes = (chosen.note,) if chosen.note else ()
        return Loaded(name=spec, cases=_read(spec, paths, wanted), source=source, licence=chosen.licence, notes=notes)
    path = Path(spec)
    if not path.exists():
        known = ", ".join(SETS)
        raise InputError(f"{spec!r} is neither a file nor a public dataset; there are: {known}.")
    return _from_file(recognised(path), path, split)


def _from_file(form: str, path: Path, split: str | None) -> Loaded:
    if not path.exists():
        raise InputError(f"there is no file {str(path)!r}.")
    known = SETS.get(form)
    name = path.name.split(".")[0] if form == "labelled" else form
    cases = _read(form, [path], split or (known.split if known else "test"))
    return Loaded(name=name, cases=cases, source=path.name, licence=known.licence if known else None)


def _read(form: str, paths: Sequence[Path], split: str) -> tuple[LabelledCase, ...]:
    cases = tuple(FORMATS[form](paths, split))
    if not cases:
        raise InputError(f"there is no case in {', '.join(path.name for path in paths)} (split {split!r}).")
    return cases


def recognised(path: Path) -> str:
    """Detect the format of a file by the fields of its first row. Other files contain labelled rows."""
    if path.is_dir():
        if (path / RESPONSES).exists() or (path / f"{RESPONSES}.gz").exists():
            return "ragtruth"
        inside = sorted(p for p in path.iterdir() if p.is_file())
        return recognised(inside[0]) if inside else "labelled"
    first = next(iter(rows(path)), None)
    fields = frozenset(first[1]) if first else frozenset()
    return next((item.name for item in SETS.values() if item.fields and item.fields <= fields), "labelled")
