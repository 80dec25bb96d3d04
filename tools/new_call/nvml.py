"""The skeleton of an NVML call's tests.

NVML has no conformance cases; unwritten tests are expected to fail.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tools.new_call.plan import Plan

PENDING = '@pytest.mark.xfail(raises=NotImplementedError, strict=True, reason="to be written")'
"""The mark of an unwritten test. It makes the finished test fail, until the mark is removed."""


def tests(plan: Plan, values: list[str]) -> str:
    """Return the module of a call's tests.

    Args:
        plan: What is known of the call.
        values: A plain value for each input.
    """
    given = "".join(f"{value}, " for value in values).rstrip()
    name = plan.call.name
    null = plan.call.outputs[0].name if plan.call.outputs else ""
    lines = [
        "from __future__ import annotations",
        "",
        "from typing import TYPE_CHECKING, Any",
        "",
        "import pytest",
        "",
        "from fakecuda import Machine",
        "from fakecuda.spec.codes import Nvml",
        "from tests.nvml.state import code",
        "",
        "if TYPE_CHECKING:",
        "    from fakecuda import Process",
        "",
        f"GIVEN: tuple[Any, ...] = ({given})",
        '"""To be written: the arguments of a call that succeeds."""',
        "",
        "",
        "def test_the_library_is_initialised_first() -> None:",
        '    """Without nvmlInit the call is refused."""',
        '    with Machine("h200-x2") as machine:',
        f"        assert code(machine.spawn().c.{name}(*GIVEN)) is Nvml.UNINITIALIZED",
        *(
            [
                "",
                "",
                "def test_the_result_is_given(process: Process) -> None:",
                '    """A null result pointer is refused."""',
                f'    assert code(process.c.{name}(*GIVEN, null="{null}")) is Nvml.INVALID_ARGUMENT',
            ]
            if null
            else []
        ),
        "",
        "",
        PENDING,
        "def test_it_succeeds(process: Process) -> None:",
        '    """To be written: what the call returns, and what it changes."""',
        f"    assert code(process.c.{name}(*GIVEN)) is Nvml.SUCCESS",
    ]
    for one in plan.codes:
        lines += [
            "",
            "",
            PENDING,
            f"def test_{re.sub('^not_not_', '', f'not_{one.name.lower()}')}(process: Process) -> None:",
            f'    """To be written: the arguments for which the call answers NVML_ERROR_{one.name}."""',
            f"    assert code(process.c.{name}(*GIVEN)) is Nvml.{one.name}",
        ]
    return "\n".join([*lines, ""])
