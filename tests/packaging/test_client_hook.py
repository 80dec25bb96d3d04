"""The hook that puts a built C client into the wheel, and how an installation without a compiler uses it."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda import Machine
from fakecuda.errors import FakeCudaError
from fakecuda.reach.native import objects
from fakecuda.reach.native.stubs import NATIVE, NEEDS
from fakecuda.reach.remote.linked import build
from fakecuda.reach.remote.owner.rendezvous import reception
from fakecuda.reach.shadow.build import PROCESSOR, SHADOW
from tools import client_hook

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Hooked = Callable[[str], tuple[Any, Any, dict[str, Any]]]

ROOT = Path(__file__).parents[2]
HERE = platform.machine()
IS_GLIBC = platform.libc_ver()[0] == "glibc"
PROGRAM = r"""
#include <dlfcn.h>
#include <stdio.h>

int main(void)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    printf("%d\n", driver ? ((int (*)(unsigned))dlsym(driver, "cuInit"))(0) : -1);
    return 0;
}
"""

pytestmark = [
    pytest.mark.skipif(not NATIVE, reason=f"the client needs {NEEDS}"),
    pytest.mark.skipif(build.compiler() is None, reason="no C compiler is found"),
]


class App:
    """Hatchling's object with which a hook prints."""

    def __init__(self) -> None:
        self.warnings: list[str] = []

    def display_warning(self, text: str) -> None:
        """Keep a warning."""
        self.warnings.append(text)


@pytest.fixture
def hooked() -> Iterator[Hooked]:
    """Return what runs the hook, and returns it, what it printed, and what it told hatchling."""
    hooks: list[client_hook.ClientHook] = []

    def run(version: str) -> tuple[Any, App, dict[str, Any]]:
        unused: Any = None
        app: Any = App()
        data: dict[str, Any] = {"force_include": {}}
        hooks.append(client_hook.ClientHook(str(ROOT), {}, unused, unused, "", "wheel", app))
        hooks[-1].initialize(version, data)
        return hooks[-1], app, data

    yield run
    for hook in hooks:
        hook.finalize("standard", {}, "")


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Path, str]]:
    """What the wheel gets, and the names of their folders; it is compiled once for all tests."""
    return client_hook.built(tmp_path_factory.mktemp("built"), HERE, str(ROOT))


@pytest.fixture
def wheel(libraries: list[tuple[Path, str]]) -> tuple[Path, str]:
    """The client in the wheel, and the name of its folder."""
    return libraries[0]


def without_compiler(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Hide all compilers and this user's cache."""
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv(build.CACHE, str(folder / "cache"))


def test_a_wheel_gets_the_client_and_the_tag(
    hooked: Hooked, libraries: list[tuple[Path, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The client needs no recent glibc: each function that a newer one has moved has its old version. The file goes with the build."""

    def built(folder: Path, machine: str, root: str) -> list[tuple[Path, str]]:
        assert (machine, root) == (HERE, str(ROOT))
        return [(Path(shutil.copy(path, folder)), name) for path, name in libraries]

    monkeypatch.setattr(client_hook, "built", built)
    hook, app, data = hooked("standard")
    files = data.pop("force_include")
    assert all(Path(source).exists() for source in files)
    assert list(files.values()) == [
        f"fakecuda/reach/remote/linked/built/{one.digest(HERE)}/{one.file}"
        for one in (build.CLIENT, SHADOW)
        if one is build.CLIENT or HERE == PROCESSOR
    ]
    tag = f"manylinux_2_17_{HERE}" if IS_GLIBC else f"linux_{HERE}"
    assert (app.warnings, data) == ([], {"tag": f"py3-none-{tag}", "pure_python": False})
    if IS_GLIBC:
        client = Path(next(iter(files))).read_bytes()
        minors = {int(minor) for minor in re.findall(rb"GLIBC_2\.(\d+)", client)}
        assert 0 < max(minors) <= client_hook.OLDEST
    hook.finalize("standard", data, "")
    assert not any(Path(source).exists() for source in files)


def test_no_function_of_c23_is_called() -> None:
    """From glibc 2.38 on, headers name other functions for these: a wheel that is built there would not load on an older system."""
    moved = re.compile(r"\b(?:\w*scanf|(?:str|wcs)to(?:u?l|u?ll|[iu]max))\b")
    texts = [path.read_text("utf-8") for path in (ROOT / "fakecuda" / "reach").rglob("*.[ch]")]
    assert len(texts) > 1
    assert [found for text in texts for found in moved.findall(text)] == []


@pytest.mark.long("it compiles the client twice")
def test_two_builds_are_equal(tmp_path: Path) -> None:
    """The sdist and the checkout build the same wheel."""
    for name in "ab":
        (tmp_path / name).mkdir()
    (one, folder), (again, same) = (client_hook.built(tmp_path / name, HERE, str(ROOT))[0] for name in "ab")
    assert (again.read_bytes(), same) == (one.read_bytes(), folder)


def test_an_editable_installation_gets_nothing(hooked: Hooked) -> None:
    """It compiles the client when a program first needs it, so that its sources may change."""
    _, app, data = hooked("editable")
    assert (app.warnings, data) == ([], {"force_include": {}})


def test_a_wheel_without_a_compiler_is_pure(hooked: Hooked, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It is built all the same, with a warning."""
    without_compiler(monkeypatch, tmp_path)
    _, app, data = hooked("standard")
    assert data == {"force_include": {}}
    (warning,) = app.warnings
    assert warning.startswith("fakecuda's wheel has no built C client, and is for any processor: ")


def test_a_client_for_another_processor_is_refused(hooked: Hooked, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cross-compiler has to be named."""
    other = next(one for one in client_hook.PROCESSORS if one != HERE)
    monkeypatch.setenv(client_hook.MACHINE, other)
    _, app, data = hooked("standard")
    assert data == {"force_include": {}}
    (warning,) = app.warnings
    assert f", not for {other}: set CC to one for {other}" in warning


@pytest.mark.parametrize(
    ("library", "platform_tag"),
    [
        (b"", "linux_x86_64"),
        (b"GLIBC_2.2.5 GLIBC_2.9", "manylinux_2_17_x86_64"),
        (b"GLIBC_2.2.5 GLIBC_2.38", "manylinux_2_38_x86_64"),
    ],
)
def test_the_tag_names_the_glibc_that_is_needed(library: bytes, platform_tag: str) -> None:
    """Without one, the system's own platform."""
    assert client_hook.platform_of(library, "x86_64") == platform_tag


def test_a_program_runs_without_a_compiler(
    wheel: tuple[Path, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """An installation from the wheel compiles and keeps nothing."""
    source, program = tmp_path / "program.c", tmp_path / "program"
    source.write_text(PROGRAM)
    command = build.compiler()
    assert command is not None
    subprocess.run([*command, source, "-o", program, "-ldl"], check=True)
    installed = tmp_path / "built" / wheel[1] / objects.CLIENT
    installed.parent.mkdir(parents=True)
    installed.hardlink_to(wheel[0])
    monkeypatch.setattr(build, "BUILT", tmp_path / "built")
    monkeypatch.setattr(reception(), "_places", {})  # what earlier tests of this process have linked
    without_compiler(monkeypatch, tmp_path)
    with Machine("h200") as machine, machine.shared(export=False):
        assert (machine.link() / objects.CLIENT).resolve() == installed.resolve()
        assert machine.offer is not None
        environ = {**os.environ, **machine.offer.environ()}
        assert subprocess.check_output([program], env=environ) == b"0\n"
    assert not (tmp_path / "cache").exists()


def test_a_client_of_other_sources_is_not_used(
    wheel: tuple[Path, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It is compiled again, or refused with its path where that is impossible."""
    stale = tmp_path / "built" / wheel[1] / objects.CLIENT
    stale.parent.mkdir(parents=True)
    stale.touch()
    monkeypatch.setattr(build, "BUILT", tmp_path / "built")
    assert build.CLIENT.library() == stale
    texts = dict(build._texts())
    texts["client.c"] += "/* changed */\n"
    monkeypatch.setattr(build, "_texts", lambda: texts)
    without_compiler(monkeypatch, tmp_path)
    with pytest.raises(FakeCudaError, match=re.escape(f"the file {stale} is for another processor or other sources")):
        build.CLIENT.library()


def test_neither_built_nor_to_be_built(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The message says what is missing and what to install."""
    monkeypatch.setattr(build, "BUILT", tmp_path / "built")
    without_compiler(monkeypatch, tmp_path)
    with pytest.raises(FakeCudaError, match=f"no C compiler was found .*: install a wheel for {HERE} or a compiler"):
        build.CLIENT.library()


def test_without_a_cache_that_can_be_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The message names the variable that moves the cache."""
    (tmp_path / "file").touch()
    monkeypatch.setattr(build, "BUILT", tmp_path / "built")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(
        FakeCudaError, match=r"cannot write .* \(Not a directory\): set .* XDG_CACHE_HOME to a writable folder"
    ):
        build.CLIENT.library()
