"""The scripts of CI: .ci/run leaves the environment of a checkout alone, and installs all that tests need."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
ALONE = {"cuda", "fleet", "zstd"}
"""Extras that no commit's test needs."""
STUB = "#!/bin/sh\necho \"$0 $*\" | sed 's|.*/bin/||'\n"
README = """<!-- conform -->
```sh
mkdir -p .venv/bin && cp stub .venv/bin/python && cp stub .venv/bin/mypy && cp stub .venv/bin/ruff && ls
```

<!-- test -->
```sh
cp stub .venv/bin/pip && .venv/bin/pip install && .venv/bin/python -m pytest -n auto
```
"""
LINES = [
    "python -m pytest -n auto tests conformance/cases --no-pairs",
    "python -m coverage combine --quiet",
    "python -m coverage report --skip-covered --fail-under=100",
    "ruff check .",
    "ruff format --check .",
    "mypy ",
]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a checkout whose tools are stubs that print how they are called."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    made = tmp_path / "checkout"
    (made / ".ci").mkdir(parents=True)
    shutil.copy(ROOT / ".ci/run", made / ".ci/run")
    (made / "README.md").write_text(README)
    (made / ".gitignore").write_text(".venv/\n")
    (made / "stub").write_text(STUB)
    (made / "stub").chmod(0o755)
    (made / "gone").write_text("x")
    identity = ("-c", "user.name=x", "-c", "user.email=x@example.org")
    for command in (("init", "-q"), ("add", "."), (*identity, "commit", "-q", "-m", "x")):
        subprocess.run(["git", *command], cwd=made, check=True)  # noqa: S607 - the one on PATH
    return made


def run(checkout: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run .ci/run without standard input."""
    others = {name: value for name, value in os.environ.items() if name != "CI"}
    return subprocess.run(
        ["bash", ".ci/run"],  # noqa: S607 - the one on PATH
        cwd=checkout,
        env=others | environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def lines(done: subprocess.CompletedProcess[str]) -> list[str]:
    """Return what the stubs printed."""
    return [line for line in done.stdout.splitlines() if line.startswith(("python ", "ruff ", "mypy "))]


def test_the_environment_of_a_checkout_stays(checkout: Path) -> None:
    """The run works in a copy, which has what is not committed, and lacks what was deleted."""
    (checkout / ".venv").mkdir()
    (checkout / ".venv/mine").write_text("x")
    (checkout / "gone").unlink()
    (checkout / "new").write_text("x")
    done = run(checkout)
    assert (done.returncode, done.stderr) == (0, "")
    assert lines(done) == LINES
    assert [path.name for path in (checkout / ".venv").iterdir()] == ["mine"]
    assert done.stdout.splitlines()[1:4] == ["README.md", "new", "stub"]
    assert re.search(r"^== all: \d+ s$", done.stdout, re.MULTILINE)


def test_a_fresh_clone_is_where_ci_runs(checkout: Path) -> None:
    """It is not copied. A checkout with an environment is."""
    assert lines(run(checkout, CI="true")) == LINES
    assert (checkout / ".venv/bin/pip").exists()
    (checkout / ".venv/bin/pip").unlink()
    assert lines(run(checkout, CI="true")) == LINES
    assert not (checkout / ".venv/bin/pip").exists()


@pytest.mark.parametrize("tool", ["python", "ruff", "mypy"])
def test_a_part_that_fails_ends_the_run(checkout: Path, tool: str) -> None:
    """Its status is not 0, and what the tool printed is there."""
    text = README.replace(
        f"cp stub .venv/bin/{tool}", f"(cat stub; echo exit 3) > .venv/bin/{tool} && chmod +x .venv/bin/{tool}"
    )
    (checkout / "README.md").write_text(text)
    done = run(checkout)
    assert done.returncode != 0
    assert any(line.startswith(f"{tool} ") for line in lines(done))
    assert "== all" not in done.stdout


def test_ci_installs_every_extra_that_tests_need() -> None:
    """The README's test command installs the extra ci, which has the others; no test is skipped there for want of one."""
    command = (ROOT / "README.md").read_text().partition("<!-- test -->")[2]
    assert "pip install -q -e '.[ci]'" in command.partition("\n```\n")[0]
    assert _within("ci") == EXTRAS.keys() - ALONE - {"ci"}
    reasons = {
        extra
        for path in (ROOT / "tests").rglob("test_*.py")
        for extra in re.findall(r"pip install -e '\.\[(\w+)\]'", path.read_text())
    }
    assert reasons <= _within("ci")


def _within(extra: str) -> set[str]:
    """Return the extras that an extra brings."""
    found = re.findall(r"fakecuda\[([\w,]+)\]", " ".join(EXTRAS[extra]))
    names = {name for group in found for name in group.split(",")}
    return names.union(*(_within(name) for name in names))


def test_long_names_the_environment_that_it_lacks(tmp_path: Path) -> None:
    """It refuses a path without a Python, and an option without a path, before anything runs."""
    script = ["bash", str(ROOT / ".ci/long"), "--python"]
    done = subprocess.run([*script, str(tmp_path)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (
        2,
        f"{tmp_path}/bin/python is not an executable Python: make it with python3 -m venv, and install '.[ci]' in it\n",
    )
    done = subprocess.run(script, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "--python takes the path of a Python or of a virtual environment\n")
