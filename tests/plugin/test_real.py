"""``--fakecuda=real``: the same tests on the driver of this process.

Where no GPU is there, a machine that was installed before pytest asks for the driver stands for it.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("cuda.bindings.driver")

from fakecuda.reach.native.stubs import NATIVE
from fakecuda.reach.shadow.ring import Ring
from fakecuda.testing.settings import RECORDED

if TYPE_CHECKING:
    from .conftest import Suite

DRIVER = """
    from fakecuda.machine import simulating
    behind = simulating.simulate({profile!r})
    behind.__enter__()
"""
GPU = """
    import pytest
    from cuda.bindings import driver
    from fakecuda.testing import real

    def pytest_configure():
        try:
            real.find_driver()
        except pytest.UsageError as error:
            pytest.exit(f"NO GPU: {error}", returncode=77)
"""
RESET = """
    import pytest
    from cuda.bindings import driver

    def used():
        return [int(driver.cuDevicePrimaryCtxGetState(driver.cuDeviceGet(0)[1])[2]), int(driver.cuCtxGetCurrent()[1])]

    @pytest.mark.parametrize("number", range(3))
    def test_fresh(fakecuda, number):
        assert fakecuda.here.driver is driver
        assert used() == [0, 0]
        context = driver.cuDevicePrimaryCtxRetain(driver.cuDeviceGet(0)[1])[1]
        for _ in range(3):
            driver.cuCtxPushCurrent(context)
        assert int(driver.cuMemAlloc(1 << 20)[0]) == 0
        assert used() == [1, int(context)]

    def test_gone():
        assert used() == [0, 0]
"""


def test_primary_contexts_are_reset_between_tests(suite: Suite) -> None:
    """After each test no context is current and no primary context is active."""
    suite.write(conftest=DRIVER.format(profile="h200-x2"), test_it=RESET)
    done = suite.run("--fakecuda=real")
    assert done.counts == {"PASSED": 4}, done.out
    assert done.code == 0


def test_profiles_become_requirements(suite: Suite) -> None:
    """What the machine lacks is a skip with its reason; without a profile a test runs anywhere."""
    suite.write(
        conftest=DRIVER.format(profile="h200-x2"),
        test_it="""
            import attrs, fakecuda as module, pytest
            from cuda.bindings import driver
            from fakecuda.profiles import Peer, load

            two = load("h200-x2")
            apart = attrs.evolve(two, name="apart", peers={pair: Peer(False, {}) for pair in two.peers})
            other = attrs.evolve(two, name="h100", devices=(attrs.evolve(two.devices[0], name="NVIDIA H100 80GB HBM3"),), peers={})
            alike = attrs.evolve(two, name="nvl", devices=(attrs.evolve(two.devices[0], name="NVIDIA H200 NVL"),), peers={})

            @pytest.mark.fakecuda(profile=["h200", "h200-x2", "h200-x3", apart, other, alike, "wsl", "driver-12.4"])
            def test_each(fakecuda):
                assert fakecuda.here.driver is driver

            def test_unmarked(fakecuda):
                assert fakecuda.calls == fakecuda.findings == []
                assert list(fakecuda.processes) == ["here"]
                assert fakecuda.here.alive

            def test_inner():
                with module.simulate("h200") as machine:
                    assert machine.here.driver is driver
                    assert module.installed() is machine
                assert module.installed() is not machine

            @module.simulate("h200-x3")
            def test_decorated():
                raise AssertionError
        """,
    )
    done = suite.run("--fakecuda=real")
    assert done.counts == {"PASSED": 5, "SKIPPED": 6}, done.out
    skipped = [line.partition("--fakecuda=real: ")[2] for line in done.lines if line.startswith("SKIPPED")]
    assert sorted(skipped) == [
        "profile apart has no peer access from device 0 to 1, this machine peer access",
        "profile driver-12.4 has the driver of CUDA 12.4, this machine 13.0",
        "profile h100 has NVIDIA H100 80GB HBM3 as device 0, this machine NVIDIA H200",
        "profile h200-x3 has 3 devices, this machine 2",
        "profile h200-x3 has 3 devices, this machine 2",
        "profile wsl has CONCURRENT_MANAGED_ACCESS 0 on device 0, this machine 1",
    ]


def test_a_context_that_cannot_be_reset_is_an_error(suite: Suite) -> None:
    """The device and the code are named."""
    suite.write(
        conftest=DRIVER.format(profile="h200"),
        test_it="""
            from cuda.bindings import driver

            def test_it(fakecuda, monkeypatch):
                driver.cuDevicePrimaryCtxRetain(driver.cuDeviceGet(0)[1])
                driver.cuDevicePrimaryCtxReset = lambda device: (driver.CUresult.CUDA_ERROR_ECC_UNCORRECTABLE,)
        """,
    )
    done = suite.run("--fakecuda=real")
    assert done.counts == {"PASSED": 1, "ERROR": 1}, done.out
    assert (
        "fakecuda cannot reset the primary context of device 0 on the real driver for the next test, because cuDevicePrimaryCtxReset answers CUDA_ERROR_ECC_UNCORRECTABLE"
        in done.out
    )


@pytest.mark.parametrize(
    ("answers", "code"),
    [
        ("driver.cuInit = nowhere().here.driver.cuInit", "CUDA_ERROR_NO_DEVICE"),
        ("driver.cuInit = lambda flags: (0,); driver.cuDeviceGetCount = lambda: (0, 0)", "CUDA_SUCCESS"),
    ],
)
def test_no_gpu_ends_the_session_with_one_line(suite: Suite, answers: str, code: str) -> None:
    """A driver without devices ends the run before any test, with what to do; collecting needs none."""
    suite.write(
        conftest=f"""
            from cuda.bindings import driver
            from fakecuda.machine.late_uses import nowhere
            {answers}
        """,
        test_it="def test_a(fakecuda): pass\n",
    )
    done = suite.run("--fakecuda=real")
    fix = "run on a machine with a GPU, or without --fakecuda=real"
    assert done.out == f"ERROR: --fakecuda=real: no GPU ({code}, 0 devices): {fix}\n\n"
    assert done.code == pytest.ExitCode.USAGE_ERROR
    assert suite.run("--fakecuda=real", "--collect-only").code == 0


def test_no_driver_ends_the_session_with_one_line(suite: Suite) -> None:
    """So does a driver that cannot be loaded."""
    suite.write(
        conftest="""
            from cuda.bindings import driver
            def cuInit(flags):
                raise RuntimeError("no libcuda.so.1\\nnor libcuda.so")
            driver.cuInit = cuInit
        """,
        test_it="def test_a(fakecuda): pass\n",
    )
    done = suite.run("--fakecuda=real")
    assert done.out.startswith("ERROR: --fakecuda=real: no driver (no libcuda.so.1 nor libcuda.so): run on a machine")
    assert len(done.out.splitlines()) == 2, done.out
    assert done.code == pytest.ExitCode.USAGE_ERROR


def test_no_bindings_end_the_session_with_one_line(suite: Suite) -> None:
    """The extra that brings them is named."""
    suite.write(
        conftest="import sys\nsys.modules['cuda.bindings'] = None\n",
        test_it="def test_a(fakecuda): pass\n",
    )
    done = suite.run("--fakecuda=real", fresh=True)
    assert done.out == "ERROR: --fakecuda=real: cuda.bindings is not installed: pip install 'fakecuda[cuda]'\n\n"
    assert done.code == pytest.ExitCode.USAGE_ERROR


def test_on_the_gpu_of_this_machine(suite: Suite) -> None:
    """The reset and a spawned process on a real driver."""
    suite.write(
        conftest=GPU,
        test_it=RESET,
        test_spawn="""
            def test_spawned(fakecuda):
                child = fakecuda.spawn()
                assert fakecuda.processes[child.name] is child
                assert child.c.cuInit(0) == (0,)
        """,
    )
    done = suite.run("--collect-only")
    if done.code == 77:
        pytest.skip(next(line for line in done.out.splitlines() if "NO GPU" in line))
    done = suite.run("--fakecuda=real")
    assert done.counts == {"PASSED": 5}, done.out


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("NVIDIA H200", "H200"),
        ("NVIDIA H200 NVL", "H200"),
        ("NVIDIA H100 80GB HBM3", "H100"),
        ("NVIDIA GH200 480GB", "GH200"),
        ("Tesla V100-SXM2-16GB", "V100"),
        ("NVIDIA GeForce RTX 4090", "4090"),
        ("NVIDIA L40S", "L40S"),
        ("NVIDIA TITAN V", "NVIDIA TITAN V"),
    ],
)
def test_family(name: str, family: str) -> None:
    """A family is the model without maker, memory and form."""
    from fakecuda.testing import real  # noqa: PLC0415 - the plugin of this run may be another copy

    assert real.family(name) == family


@pytest.mark.skipif(not NATIVE, reason="cuda.core needs the native door")
def test_cuda_core_works_in_each_test(suite: Suite) -> None:
    """Its contexts are reset between tests, and are there again for it."""
    pytest.importorskip("cuda.core")
    suite.write(
        conftest=DRIVER.format(profile="h200-x2"),
        test_it="""
            import pytest
            from cuda.core import Device

            @pytest.mark.parametrize("number", range(4))
            def test_it(fakecuda, number):
                device = Device(number % 2)
                device.set_current()
                stream = device.create_stream()
                for resource in (device.memory_resource,):
                    buffer = resource.allocate(4096, stream=stream)
                    buffer.fill(7, stream=stream)
                    stream.sync()
        """,
    )
    done = suite.run("--fakecuda=real", door="native")
    assert done.counts == {"PASSED": 4}, done.out


def test_the_first_test_of_the_readme_runs_on_a_driver(suite: Suite) -> None:
    """It asks for what a driver tells, and for the rule only where there is one."""
    text = (Path(__file__).parents[2] / "README.md").read_text()
    test = text.partition("\n## A first test\n")[2].partition("```python\n")[2].partition("```")[0]
    suite.write(conftest=DRIVER.format(profile="h200-x2"), test_peers=test)
    done = suite.run("--fakecuda=real")
    assert done.counts == {"PASSED": 1}, done.out


def test_what_is_not_seen_is_said(suite: Suite) -> None:
    """What a test leaves behind and what is refused; the test is not skipped for that."""
    suite.write(
        conftest=DRIVER.format(profile="h200-x2"),
        test_it="""
            import pytest
            from cuda.bindings import driver

            @pytest.mark.fakecuda(leaks="error", errors="error")
            def test_it(fakecuda):
                driver.cuCtxCreate(None, 0, 0)
                with fakecuda.expect("INVALID_VALUE") as came:
                    driver.cuInit(1)
                assert came == fakecuda.leaks() == []
                fakecuda.assert_no_leaks()
        """,
    )
    done = suite.run("--fakecuda=real", door="")
    assert done.counts == {"PASSED": 1}, done.out
    said = "fakecuda: leaks and refused calls are not seen on a real driver"
    assert said in done.out
    assert "fakecuda: 1 test expects what a driver does not report; this was not checked" in done.out
    assert said not in suite.run("--fakecuda=real", "--fakecuda-leaks=ignore", "--fakecuda-errors=ignore", door="").out
    with closing(Ring(suite.folder / "ring", 4096)):  # calls are recorded, and checked afterwards
        suite.environ[RECORDED] = str(suite.folder)
        assert said not in suite.run("--fakecuda=real", door="").out
