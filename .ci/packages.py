"""Builds both wheels and the sdist, installs the wheels and uses them.

It does so with each Python that is found. ``python .ci/packages.py FOLDER`` makes everything in a new folder. It needs
the extra ``dev``, and the network for pip.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[1]
MINORS = range(11, 15)
"""The minor versions of Python to look for."""
PRODUCT = {"fakecuda", "realcuda", "fakecuda.pth"}
SUITE = {"conformance"}
PASTED = ROOT / "tests" / "packaging" / "test_annotated.py"
"""A user's test file."""
PUBLIC = "import fakecuda; [getattr(fakecuda, name) for name in fakecuda.__all__]; import realcuda, realcuda.probe"


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
"""A program in C."""
LINKED = """
import subprocess, sys
import fakecuda
with fakecuda.simulate("h200") as machine:
    machine.link()
    subprocess.run([sys.argv[1]], check=True)
"""
"""Runs a program on a machine; its argument is the path of the program."""
CROSS = {"aarch64": "aarch64-linux-gnu-gcc", "x86_64": "x86_64-linux-gnu-gcc"}
"""Compilers for other processors."""


class Built(NamedTuple):
    """What was built from a checkout.

    Attributes:
        product: fakecuda's wheel.
        suite: The conformance suite's wheel.
        sdist: The source distribution, which builds both wheels.
        program: A compiled program in C; None without a compiler.
    """

    product: Path
    suite: Path
    sdist: Path
    program: Path | None = None


class Wrong(Exception):  # noqa: N818 - a finding, not an error of this script
    """A check failed; the text says which."""


def main(folder: Path) -> int:
    """Build and check everything; return the exit status."""
    folder.mkdir(parents=True)
    try:
        built = build(folder / "dist")
        built = built._replace(program=compiled(built.product, folder))
        others = list(crossed(folder / "crossed"))
    except Wrong as wrong:
        print(f"packages: {wrong}")
        return 1
    for file in (*built[:3], *others):
        print(f"{file.name}: {file.stat().st_size:,} bytes")
    found = pythons()
    for minor in MINORS:
        if minor not in found:
            print(f"-- left out: python3.{minor} was not found")
    status = 0
    for minor, python in found.items():
        try:
            names = tried(python, built, folder / f"3.{minor}")
        except Wrong as wrong:
            print(f"python3.{minor}: {wrong}")
            status = 1
        else:
            print(f"python3.{minor}: {', '.join(sorted(names))} in site-packages; all tried", flush=True)
    return status


def build(folder: Path) -> Built:
    """Return what pip and hatchling build from the checkout.

    Raises:
        Wrong: A wheel has wrong names at its top level, or the sdist builds different wheels.
    """
    pip(sys.executable, "wheel", "--no-deps", f"--wheel-dir={folder}", ROOT, ROOT / "conformance")
    run([sys.executable, "-m", "hatchling", "build", "--target=sdist", f"--directory={folder}"], ROOT)
    built = Built(one(folder, "fakecuda-*.whl"), one(folder, "fakecuda_conformance-*.whl"), one(folder, "*.tar.gz"))
    for wheel, names in ((built.product, PRODUCT), (built.suite, SUITE)):
        if (seen := top_level(wheel)) != names:
            msg = f"{wheel.name} has {sorted(seen)} at its top level: it must have {sorted(names)}"
            raise Wrong(msg)
    again = folder / "again"
    again.mkdir()
    run(["tar", "-xzf", built.sdist], again)
    source = one(again, "fakecuda-*")
    pip(sys.executable, "wheel", "--no-deps", f"--wheel-dir={again}", source, source / "conformance")
    for wheel in (built.product, built.suite):
        if record(wheel) != record(again / wheel.name):
            msg = f"the sdist builds a {wheel.name} that differs from the checkout's"
            raise Wrong(msg)
    return built


def compiled(wheel: Path, folder: Path) -> Path | None:
    """Return a compiled program in C; None without a compiler.

    Raises:
        Wrong: There is a compiler, but the wheel is for any processor.
    """
    if not (compiler := os.environ.get("CC") or shutil.which("cc")):
        print("-- left out: a program in C, because cc was not found")
        return None
    if wheel.name.endswith("-any.whl"):
        msg = f"{wheel.name} has no built C client, although {compiler} is a C compiler"
        raise Wrong(msg)
    (folder / "program.c").write_text(PROGRAM)
    run([compiler, "-o", folder / "program", folder / "program.c", "-ldl"], folder)
    return folder / "program"


def crossed(folder: Path) -> Iterator[Path]:
    """Yield the wheels for other processors for which a compiler is found.

    Raises:
        Wrong: A wheel has another tag than one of its processor.
    """
    for machine, compiler in CROSS.items():
        if machine == platform.machine():
            continue
        if shutil.which(compiler) is None:
            print(f"-- left out: the wheel for {machine}, because {compiler} was not found")
            continue
        run(
            [sys.executable, "-m", "hatchling", "build", "--target=wheel", f"--directory={folder}"],
            ROOT,
            FAKECUDA_WHEEL_MACHINE=machine,
            CC=compiler,
        )
        wheel = one(folder, "fakecuda-*.whl")
        if not wheel.name.endswith(f"-py3-none-manylinux_2_17_{machine}.whl"):
            msg = f"{wheel.name} is not a wheel for {machine} with glibc 2.17"
            raise Wrong(msg)
        yield wheel


def tried(python: Path, built: Built, folder: Path) -> set[str]:
    """Install the wheels in a new environment and use them from an empty folder.

    Args:
        python: The interpreter.
        built: The wheels.
        folder: A new folder, for the environment and the user's files.

    Returns:
        The names in site-packages that the wheels have installed.

    Raises:
        Wrong: A command failed; the text has its output.
    """
    user = folder / "user"
    user.mkdir(parents=True)
    run([python, "-m", "venv", folder / "venv"], user)
    here = folder / "venv" / "bin" / "python"
    pip(here, "install", built.product, "pytest")
    names = installed(here, "fakecuda")
    run([here, "-c", PUBLIC], user)
    shutil.copy(PASTED, user)
    run([here, "-m", "pytest", "-q", "-W", "error", PASTED.name], user)
    run([here, "-m", "fakecuda", "--help"], user)
    run([here.with_name("fakecuda"), "profiles"], user)
    if built.program is not None:  # without a compiler, and with an empty cache, in which nothing is kept
        cache = folder / "cache"
        answer = run([here, "-c", LINKED, built.program], user, PATH=str(user), CC="", XDG_CACHE_HOME=str(cache))
        if answer != "0\n" or cache.exists():
            msg = f"a program in C printed {answer!r}, and {cache} {'has files' if cache.exists() else 'is empty'}"
            raise Wrong(msg)
    told = run([here, "-m", "fakecuda", "conform", "--quick"], user, status=2)
    if "pip install . ./conformance" not in told:
        msg = f"conform does not say how to get the suite: {told}"
        raise Wrong(msg)
    pip(here, "install", built.suite)
    run([here, "-m", "fakecuda", "conform", "--quick"], user)
    names |= installed(here, "fakecuda-conformance")
    if names != PRODUCT | SUITE:
        msg = f"the wheels installed {sorted(names)}: they must install {sorted(PRODUCT | SUITE)}"
        raise Wrong(msg)
    return names


def pythons() -> dict[int, Path]:
    """Return the interpreters on PATH and known to uv, by minor version.

    Without any, return the current one.
    Files that do not start do not count: pyenv puts shims on PATH also for versions that it does not use.
    """
    found = {}
    for minor in MINORS:
        for path in candidates(minor):
            check = f"import sys, venv; sys.exit(sys.version_info[:2] != (3, {minor}))"
            if subprocess.run([path, "-c", check], capture_output=True, check=False).returncode == 0:
                found[minor] = path
                break
    return found or {sys.version_info.minor: Path(sys.executable)}


def candidates(minor: int) -> Iterator[Path]:
    """Yield possible paths of a Python 3.x."""
    for folder in os.get_exec_path():
        if os.access(path := Path(folder) / f"python3.{minor}", os.X_OK):
            yield path
    if uv := shutil.which("uv"):
        told = subprocess.run(
            [uv, "python", "find", "--no-project", f"3.{minor}"], capture_output=True, text=True, check=False
        )
        if told.returncode == 0:
            yield Path(told.stdout.strip())


def top_level(wheel: Path) -> set[str]:
    """Return the names that a wheel puts into site-packages, except its metadata."""
    names = {path.partition("/")[0] for path, *_ in record(wheel)}
    return {name for name in names if not name.endswith(".dist-info")}


def record(wheel: Path) -> list[list[str]]:
    """Return the lines of a wheel's RECORD, sorted: path, hash and size of each file."""
    with zipfile.ZipFile(wheel) as archive:
        place = next(name for name in archive.namelist() if name.endswith(".dist-info/RECORD"))
        return sorted(line.split(",") for line in archive.read(place).decode().splitlines())


def installed(python: Path, distribution: str) -> set[str]:
    """Return the names in site-packages that a distribution installed.

    They come from its RECORD.
    """
    code = f"import importlib.metadata as m; print(*{{f.parts[0] for f in m.files('{distribution}')}}, sep='\\n')"
    names = run([python, "-c", code], python.parent).split("\n")
    return {name for name in names if name and name != ".." and not name.endswith(".dist-info")}


def one(folder: Path, pattern: str) -> Path:
    """Return the only file that matches a pattern."""
    (path,) = folder.glob(pattern)
    return path


def pip(python: str | Path, command: str, *arguments: str | Path) -> None:
    """Run pip quietly."""
    run([python, "-m", "pip", command, "-q", "--disable-pip-version-check", *arguments], ROOT)


def run(command: list[str | Path], folder: Path, *, status: int = 0, **environ: str) -> str:
    """Run a command without the caller's Python settings in the environment, with other variables.

    Return its output.

    Raises:
        Wrong: The command ended with a different status.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PYTEST", "FAKECUDA"))}
    done = subprocess.run(
        command,
        cwd=folder,
        env=kept | environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode != status:
        msg = f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}"
        raise Wrong(msg)
    return done.stdout


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
