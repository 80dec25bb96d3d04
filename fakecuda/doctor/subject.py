"""The packages and files that the doctor examines, found without importing them."""

from __future__ import annotations

import email
import importlib.machinery
import importlib.metadata
import importlib.util
import mmap
import os
import shutil
import sys
import tempfile
import zipfile
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import frozen

from fakecuda.near import near

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from typing import IO

ZIPS = (".whl", ".zip")
SKIPPED = frozenset({".git", "__pycache__", ".venv", "node_modules"})
"""Folders that are not examined."""


class NoSubjectError(Exception):
    """An exception: a package or file is missing or unreadable; the text says why."""


@frozen
class Item:
    """A file of a subject.

    Attributes:
        name: Its path within the subject, with slashes.
        opened: Opens its bytes. The context manager's value is None for an empty file.
    """

    name: str
    opened: Callable[[], AbstractContextManager[mmap.mmap | None]]


@frozen
class Subject:
    """A package, a folder or a file.

    Attributes:
        title: Its name, with its version if it has one.
        items: Its files.
        single: Whether it is a single file.
    """

    title: str
    items: tuple[Item, ...]
    single: bool = False


@contextmanager
def find(what: str) -> Iterator[Subject]:
    """Open the subject that an argument of the command names.

    Args:
        what: The path of a folder, a wheel or another file, or the name of an installed distribution or of an importable package.

    Raises:
        NoSubjectError: There is no such thing, or it cannot be read.
    """
    path = Path(what)
    if what and path.is_dir():
        yield _folder(str(path), [path])
    elif path.suffix in ZIPS and path.is_file():
        with _readable(what), zipfile.ZipFile(path) as archive:
            yield _wheel(path, archive)
    elif path.is_file():
        yield Subject(path.name, (Item(path.name, lambda: _mapped(path)),), single=True)
    elif what and path.exists():
        msg = f"{what} is neither a file nor a folder: name a package, a folder, a wheel, a library, a program or a .py file"
        raise NoSubjectError(msg)
    elif os.sep in what or path.suffix in {*ZIPS, ".so", ".py", ".ptx", ".cubin", ".fatbin"}:
        msg = f"there is no file {what}"
        raise NoSubjectError(msg)
    else:
        yield _installed(what)


@contextmanager
def _readable(what: str) -> Iterator[None]:
    """Turn errors of reading into an error of the command."""
    try:
        yield
    except zipfile.BadZipFile as error:
        msg = f"{what} is not a wheel: {error}"
        raise NoSubjectError(msg) from error
    except OSError as error:
        msg = f"{what} cannot be read: {error.strerror or error}"
        raise NoSubjectError(msg) from error


@contextmanager
def _mapped(path: Path) -> Iterator[mmap.mmap | None]:
    """Map a file, so that only the pages that are read take memory."""
    with _readable(str(path)), path.open("rb") as file:
        view = _map(file)
    with _closing(view):
        yield view


def _map(file: IO[bytes]) -> mmap.mmap | None:
    size = os.fstat(file.fileno()).st_size
    return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size else None


def _closing(view: mmap.mmap | None) -> AbstractContextManager[object]:
    return nullcontext() if view is None else closing(view)


def _folder(title: str, places: list[Path]) -> Subject:
    """Return the files below folders, without links and without the folders of ``SKIPPED``."""
    items = []
    for place in places:
        for folder, folders, names in os.walk(place):
            folders[:] = sorted(name for name in folders if name not in SKIPPED)
            files = (Path(folder, name) for name in sorted(names))
            items += [_item(file.relative_to(place.parent), file) for file in files if _is_regular(file)]
    return Subject(title, tuple(items))


def _is_regular(file: Path) -> bool:
    return file.is_file() and not file.is_symlink()


def _item(name: Path, file: Path) -> Item:
    return Item(name.as_posix(), lambda: _mapped(file))


def _wheel(path: Path, archive: zipfile.ZipFile) -> Subject:
    """Return the files of a wheel. Each is unpacked to a temporary file while it is read."""

    @contextmanager
    def unpacked(info: zipfile.ZipInfo) -> Iterator[mmap.mmap | None]:
        with tempfile.TemporaryFile() as file:
            with _readable(f"{path}: {info.filename}"), archive.open(info) as member:
                shutil.copyfileobj(member, file, 1 << 20)
            file.flush()
            view = _map(file)
            with _closing(view):
                yield view

    def item(info: zipfile.ZipInfo) -> Item:
        return Item(info.filename, lambda: unpacked(info))

    infos = [info for info in archive.infolist() if not info.is_dir()]
    texts = [info for info in infos if info.filename.endswith(".dist-info/METADATA")]
    title = path.name
    if texts:
        fields = email.message_from_bytes(archive.read(texts[0]))
        title = f"{fields['Name']} {fields['Version']}"
    return Subject(title, tuple(map(item, infos)))


def _installed(name: str) -> Subject:
    """Return the files of an installed distribution, or of an importable package or module.

    Raises:
        NoSubjectError: Nothing has that name.
    """
    try:
        found = importlib.metadata.distribution(name)
    except (importlib.metadata.PackageNotFoundError, ValueError):
        return _importable(name)
    files = [(file.as_posix(), Path(str(found.locate_file(file)))) for file in found.files or ()]
    items = tuple(_item(Path(short), file) for short, file in files if file.is_file() and "__pycache__" not in short)
    if not any(item.name.endswith((".py", ".so")) or ".so." in item.name for item in items):
        read = found.read_text  # of an editable installation
        tops = (read("top_level.txt") or name.replace("-", "_")).split()
        places = [place for top in tops for place in _places(top)]
        items += _folder(name, [place for place in places if place.is_dir()]).items
        items += tuple(_item(Path(place.name), place) for place in places if place.is_file())
    return Subject(f"{found.metadata['Name']} {found.version}", items)


def _importable(name: str) -> Subject:
    places = _places(name) if name else []
    if not places:
        names = {one.metadata["Name"] for one in importlib.metadata.distributions()}
        alike = near(name, names)
        hint = f"; did you mean: {', '.join(alike)}" if alike else ""
        msg = f"no package, folder or file is called {name!r}{hint}"
        raise NoSubjectError(msg)
    folders = [place for place in places if place.is_dir()]
    if not folders:
        return Subject(name, tuple(_item(Path(place.name), place) for place in places))
    return _folder(name, folders)


def _places(name: str) -> list[Path]:
    """Return the folders of a package, or the file of a module, without importing it or its parents."""
    top, *rest = name.split(".")
    try:
        spec = None if top in sys.builtin_module_names else importlib.util.find_spec(top)
    except (ImportError, ValueError):
        spec = None
    path = top
    for part in rest:
        if spec is None or spec.submodule_search_locations is None:
            return []
        path = f"{path}.{part}"
        spec = importlib.machinery.PathFinder.find_spec(path, list(spec.submodule_search_locations))
    if spec is None:
        return []
    if spec.submodule_search_locations is not None:
        return [Path(place) for place in spec.submodule_search_locations if Path(place).is_dir()]
    return [Path(spec.origin)] if spec.origin and Path(spec.origin).is_file() else []
