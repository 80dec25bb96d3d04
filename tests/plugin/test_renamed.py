"""Old names of arguments work for one release, wherever a user can write them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda as module
from fakecuda.renamed import ARGUMENTS
from fakecuda.testing import settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.plugin.conftest import Suite

VALUES = {"patience": 7.5}
"""A value for each old name."""
MARKED = """
    import pytest

    class TestIt:
        pytestmark = pytest.mark.fakecuda(ARGUMENTS)

        def test_a(self, fakecuda):
            assert fakecuda.machine.scheduler.wait_timeout == 7.5
"""


def program() -> None:
    """Check the argument of the installed machine."""
    machine = module.installed()
    assert machine is not None
    assert machine.scheduler.wait_timeout == 7.5


def made(**arguments: Any) -> None:
    """Make a machine."""
    with module.Machine(**arguments) as machine:
        assert machine.scheduler.wait_timeout == 7.5


def block(**arguments: Any) -> None:
    """Install a machine."""
    with module.simulate(**arguments):
        program()


def decorated(**arguments: Any) -> None:
    """Install a machine for a function."""
    module.simulate(**arguments)(program)()


def swept(**arguments: Any) -> None:
    """Sweep a program."""
    module.sweep(program, **arguments).check()


def explored(**arguments: Any) -> None:
    """Search for orders of a program."""
    module.explore(program, schedules=1, **arguments).check()


def from_the_fixture(**arguments: Any) -> None:
    """Sweep it by the fixture's object."""
    with module.Machine() as machine:
        module.FakeCuda(machine).sweep(program, **arguments).check()


DOORS = (made, block, decorated, swept, explored, from_the_fixture)


def test_each_old_name_has_a_value() -> None:
    """And each new name is an argument of the mark, which takes all that machines take."""
    assert VALUES.keys() == ARGUMENTS.keys()
    assert set(ARGUMENTS.values()) <= set(settings.ARGUMENTS)
    assert ARGUMENTS.keys().isdisjoint(settings.ARGUMENTS)


@pytest.mark.parametrize("old", ARGUMENTS)
@pytest.mark.parametrize("door", DOORS)
def test_an_old_name_works_and_warns(door: Callable[..., None], old: str) -> None:
    """Once, in the line that has the old name; the new name does not warn."""
    with pytest.warns(DeprecationWarning, match=f"^{old} is now {ARGUMENTS[old]}$") as warned:
        door(**{old: VALUES[old]})
    assert [one.filename for one in warned] == [__file__]
    door(**{ARGUMENTS[old]: VALUES[old]})


@pytest.mark.parametrize("old", ARGUMENTS)
@pytest.mark.parametrize("door", DOORS)
def test_both_names_are_refused(door: Callable[..., None], old: str) -> None:
    """Even if both have the same value."""
    new = ARGUMENTS[old]
    text = f"{old}=7.5 and {new}=7.5: {old} is the old name of {new}; write {new} alone"
    with pytest.raises(module.FakeCudaError, match=f"^{re.escape(text)}$"):
        door(**{old: 7.5, new: 7.5})


def test_an_old_name_in_the_mark(suite: Suite) -> None:
    """One warning, which names the test and the new name."""
    suite.write(test_it=MARKED.replace("ARGUMENTS", "patience=7.5"))
    done = suite.run("-W", "default")
    assert done.code == pytest.ExitCode.OK, done.out
    assert "DeprecationWarning: @pytest.mark.fakecuda: patience is now wait_timeout" in done.out
    assert "test_it.py::TestIt::test_a" in done.out
    assert "1 passed, 1 warning" in done.out


def test_both_names_in_the_mark(suite: Suite) -> None:
    """It fails the test, as any wrong mark does."""
    suite.write(test_it=MARKED.replace("ARGUMENTS", "patience=1, wait_timeout=2"))
    done = suite.run()
    assert set(done.counts) == {"ERROR"}
    assert (
        "\n@pytest.mark.fakecuda has patience=1 and wait_timeout=2: patience is the old name of wait_timeout; write "
        "wait_timeout alone\n"
    ) in done.out
