"""The lines of a stack that are told: the user's first, those of frameworks and bindings not at all."""

from __future__ import annotations

import sysconfig
from types import FunctionType
from typing import TYPE_CHECKING

from fakecuda.model.history import Caller, places, story

if TYPE_CHECKING:
    from fakecuda.model.history import Stack

PACKAGES = sysconfig.get_path("purelib")
CODE = (lambda: 0).__code__


def stack(*files: str) -> Stack:
    """Return a stack of functions in files, innermost first."""
    codes = [CODE.replace(co_filename=file, co_firstlineno=7, co_qualname="f") for file in files]
    assert all(isinstance(FunctionType(code, {}), FunctionType) for code in codes)
    return tuple(item for code in codes for item in (code, 0))


def test_the_users_line_comes_first() -> None:
    """Then what is beneath it, the nearest first; frameworks and bindings are folded."""
    own = stack(
        f"{PACKAGES}/cuda/bindings/driver.py",
        f"{PACKAGES}/pool/deep.py",
        f"{PACKAGES}/pool/one.py",
        "<attrs generated>",
        f"{PACKAGES}/pool/two.py",
        f"{PACKAGES}/pool/three.py",
        "/home/me/test_it.py",
        f"{PACKAGES}/_pytest/python.py",
        "/home/me/conftest.py",
    )
    names = ["/home/me/test_it.py", *(f"{PACKAGES}/pool/{name}.py" for name in ("three", "two", "one"))]
    assert places(own) == [f"{name}:7 in f" for name in names]
    libraries = stack(*(f"{PACKAGES}/pool/{name}.py" for name in "abcde"))
    assert places(libraries) == [f"{PACKAGES}/pool/{name}.py:7 in f" for name in "abcd"]
    assert places(stack(f"{PACKAGES}/_pytest/python.py")) == places(()) == []
    assert str(Caller(own)) == "/home/me/test_it.py:7 in f"
    assert str(Caller(())) == ""


def test_a_folder_above_an_environment_folds_nothing() -> None:
    """A project may have the name of a folded package."""
    library = "/home/me/fakecuda/hypothesis/.venv/lib/python3.11/site-packages/pool/one.py"
    assert places(stack(library, "/home/me/fakecuda/test_it.py")) == [
        "/home/me/fakecuda/test_it.py:7 in f",
        f"{library}:7 in f",
    ]


def test_a_story_tells_libraries_beneath_and_users_behind() -> None:
    """Frames of pytest, and libraries behind the user's line, say nothing of an object."""
    made = stack(
        f"{PACKAGES}/cuda/bindings/driver.py",
        "/elsewhere/site-packages/pool.py",
        "/home/me/helper.py",
        f"{PACKAGES}/pool/one.py",
        "/home/me/test_it.py",
        f"{PACKAGES}/_pytest/python.py",
    )
    assert story(made, stack("<frozen runpy>"), ("made", "gone")) == [
        "made at /home/me/helper.py:7 in f",
        "  by /elsewhere/site-packages/pool.py:7 in f",
        "  from /home/me/test_it.py:7 in f",
    ]
    assert story(stack(f"{PACKAGES}/pool/one.py"), (), ("made", "gone")) == [f"made at {PACKAGES}/pool/one.py:7 in f"]
