"""Operations and modules by their names."""

from __future__ import annotations

import pytest

from fakecuda.rules.registry import DRIVER, HIP, module_at, op_of


def test_operations_by_the_name_of_a_call() -> None:
    """A call without a model has none."""
    assert op_of("cuMemAlloc") is DRIVER.ops["cuMemAlloc"]
    assert op_of("hipMalloc") is HIP.ops["hipMalloc"]
    assert op_of("cuNoSuchCall") is None


@pytest.mark.parametrize(
    ("path", "module"),
    [
        ("memory.mem_free", "fakecuda.rules.driver.memory.mem_free"),
        ("hip.memory", "fakecuda.rules.hip.memory"),
        ("runtime", "fakecuda.rules.runtime"),
    ],
)
def test_modules_by_the_path_of_their_rules(path: str, module: str) -> None:
    """The driver's have no name of an API before them."""
    assert module_at(path) == module
