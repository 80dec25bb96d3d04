"""The prompt on a pipe, and what it says of calls that failed."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING

import fakecuda
from fakecuda.__main__ import main
from fakecuda.prompt.console import Prompt
from fakecuda.prompt.why import why_text

if TYPE_CHECKING:
    import pytest


def piped(text: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Run the prompt with this text on a pipe."""
    command = [sys.executable, "-m", "fakecuda", *options]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False)


def test_a_pipe_gets_results_alone() -> None:
    """No banner and no prompt stand between the results."""
    done = piped("a.c.cuInit(0)\na.c.cuDeviceGetCount()\n")
    assert (done.returncode, done.stdout, done.stderr) == (0, "(0,)\n(0, 2)\n", "")


def test_a_pipe_needs_no_empty_lines() -> None:
    """A block ends where the next statement begins; brackets, strings and else belong to their statement."""
    text = "def f():\n    n = 1\n\n    return n\n\nf()\nfor i in (2,):\n    i\nelse:\n    3\n(\n4\n)\n'''a\nb'''\nif f():\n    5\n"
    assert piped(text).stdout.split("\n")[:-1] == ["1", "2", "3", "4", "'a\\nb'", "5"]


def test_a_statement_that_raises_shows_in_the_status() -> None:
    """What follows it runs all the same."""
    done = piped("1/0\n2\n")
    assert (done.returncode, done.stdout) == (1, "2\n")
    assert "ZeroDivisionError" in done.stderr
    assert piped("1 +* 2\n").returncode == 1


def test_undefined_behaviour_is_told_without_a_traceback() -> None:
    """The finding says all; a permissive machine goes on."""
    text = "a.c.cuInit(0)\na.c.cuMemRelease(7)\n"
    done = piped(text)
    assert done.stderr.startswith("UndefinedBehaviour: cuMemRelease in process a")
    assert "Traceback" not in done.stderr
    assert (
        "console.py"
        not in piped(
            "a.c.cuInit(0)\nh = a.c.cuMemCreate(2 << 20, (1, 0, (1, 0), 0, (0, 0, 0)), 0)[1]\n"
            "a.c.cuMemRelease(h)\na.c.cuMemRelease(h)\n"
        ).stderr
    )
    assert piped(text, "--permissive").stderr == ""


def test_a_profile_can_be_named(capsys: pytest.CaptureFixture[str]) -> None:
    """An unknown one is one line that lists what there is."""
    assert piped("a.c.cuInit(0)[0] or a.c.cuDeviceGetCount()[1]", "--profile", "h200-x8").stdout == "8\n"
    assert main(["--profile", "h2000"]) == 2
    assert capsys.readouterr().err.startswith("fakecuda: profile 'h2000' is unknown; did you mean: h200")


def test_why_tells_of_calls_of_the_runtime_api(prompt: Prompt, capsys: pytest.CaptureFixture[str]) -> None:
    """With their arguments by name."""
    prompt.feed(["_ = a.c.cudaSetDevice(99)", "why()"])
    out = capsys.readouterr().out
    assert "cudaSetDevice(device=99)" in out
    assert "runtime.active.DEVICE_IS_THERE" in out


def test_why_tells_what_lies_beneath_a_call(prompt: Prompt, capsys: pytest.CaptureFixture[str]) -> None:
    """The driver's call and rule, the code by both names, and nothing of the manual, which names the code."""
    prompt.feed(["_ = a.c.cudaMalloc(1 << 60)", "why()", "_ = a.c.cudaMemGetInfo(null='free')", "why()"])
    out = " ".join(capsys.readouterr().out.split())
    assert "cudaMalloc(size=1 EiB) -> cudaErrorMemoryAllocation" in out
    assert "code cudaErrorMemoryAllocation, which is CUDA_ERROR_OUT_OF_MEMORY of the driver API" in out
    assert "beneath cudaMalloc calls cuMemAlloc, which checks it" in out
    assert " manual " not in out


def test_why_tells_of_calls_of_hip(capsys: pytest.CaptureFixture[str]) -> None:
    """In HIP's codes, with the rule of HIP, or of the driver that it shares."""
    with fakecuda.Machine("hip-clr-2026", strict=False) as machine:
        prompt = Prompt(machine)
        lines = [
            "_ = a.c.hipMemcpy(1, 2, 4, 9)",
            "why()",
            "_, p = a.c.hipMalloc(16)",
            "_ = a.c.hipHostRegister(p, 16, 0)",
        ]
        prompt.feed([*lines, "why()"])
    out = " ".join(capsys.readouterr().out.split())
    assert "rule hip.copy.KIND_IS_KNOWN" in out
    assert "hipMemcpy names hipErrorInvalidValue, hipErrorUnknown, but not this one: clr answers" in out
    assert "code hipErrorInvalidValue, which is CUDA_ERROR_INVALID_VALUE of the driver API" in out


def test_why_tells_rule_source_and_state(prompt: Prompt, capsys: pytest.CaptureFixture[str]) -> None:
    """The history of the object quotes what was typed."""
    prompt.feed(["_, p = a.c.cuMemAlloc(4096)", "_ = a.c.cuMemFree(p)", "a.c.cuMemFree(p)", "why()"])
    out = capsys.readouterr().out
    assert "INVALID_VALUE" in out.splitlines()[1]
    assert "  rule       memory.mem_free.POINTER_IS_A_BASE (manual)\n" in out
    assert "  code       CUDA_ERROR_INVALID_VALUE\n" in out
    assert re.search(
        r"  source     cuMemFree: “.+”\n  evidence   on H200, driver 580 answers INVALID_VALUE\n", out, re.DOTALL
    )
    assert re.search(r"  object     allocation 0x[0-9a-f]+\+0x1000 on device 0\n", out)
    assert "allocated at <input 2>:1: _, p = a.c.cuMemAlloc(4096)\n" in out
    assert "freed at <input 3>:1: _ = a.c.cuMemFree(p)\n" in out
    assert "  at         <input 4>:1: a.c.cuMemFree(p)\n" in out
    assert "  fix        pass the address that the allocation returned, once" in out
    assert "code.py" not in out


def test_why_tells_of_a_call_or_a_rule_by_its_name(prompt: Prompt, capsys: pytest.CaptureFixture[str]) -> None:
    """The last call of that name which failed; what is wrong is told with the nearest name."""
    prompt.feed(["_ = a.c.cuMemAlloc(0)", "_ = a.c.cuInit(1)", 'why("cuMemAlloc")'])
    assert capsys.readouterr().out.startswith("4  a/main  cuMemAlloc(bytesize=0) -> INVALID_VALUE\n")
    assert (
        why_text(prompt.calls, "cuMemMap") == 'no call of cuMemMap broke a rule; rules("cuMemMap") lists what it checks'
    )
    assert "did you mean: cuMemMap" in why_text(prompt.calls, "cuMemMpa")
    assert why_text(prompt.calls, "core.init.FLAGS_ARE_ZERO").startswith(
        "`Flags` of cuInit is 0\n  rule       core.init.FLAGS"
    )
    assert "core.init.FLAGS_ARE_ZERO" in why_text(prompt.calls, "core.init.FLAGS_ARE_ZER")


def test_a_call_that_is_not_modelled_is_told_with_its_caller(
    prompt: Prompt, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the history, and by why."""
    prompt.feed(["_ = a.driver.cuTexRefCreate()", "history(1)", "why()"])
    out = capsys.readouterr().out
    assert out.count("a/main  cuTexRefCreate() -> NOT_SUPPORTED\n") == 2
    assert "not modelled, called at <input 2>:1: _ = a.driver.cuTexRefCreate()\n" in out
    assert "  fix        leave cuTexRefCreate out of this test" in out


def test_why_counts_failing_calls(prompt: Prompt) -> None:
    """The last by default; any other by its number."""
    assert why_text(prompt.calls) == "no call broke a rule"
    prompt.feed(["_ = a.c.cuMemAlloc(0)", "_ = a.c.cuMemAlloc(1 << 60)", "_ = a.c.cuMemAlloc(1)"])
    assert "OUT_OF_MEMORY" in why_text(prompt.calls)
    assert "OUT_OF_MEMORY" in why_text(prompt.calls, -1)
    assert "the size is not 0" in why_text(prompt.calls, -2)
    assert "2 calls broke a rule: why(-1) explains the last, why(-2)" in why_text(prompt.calls, -3)


def test_why_names_null_results(prompt: Prompt) -> None:
    """A set of names reads as words."""
    prompt.feed(["_ = a.c.cuMemAlloc(1, null='dptr')"])
    assert "  state      nulls dptr" in why_text(prompt.calls)


def test_a_call_is_explained_by_its_number(prompt: Prompt) -> None:
    """Also one that broke nothing; numbers count from the first call."""
    prompt.feed(["_ = a.c.cuMemAlloc(0)", "_ = a.c.cuMemAlloc(1)"])
    assert why_text(prompt.calls, 4).startswith(
        "4  a/main  cuMemAlloc(bytesize=0) -> INVALID_VALUE\n  statement  the size is not 0\n  at  "
    )
    assert why_text(prompt.calls, 5).splitlines()[1] == '  it broke no rule; rules("cuMemAlloc") lists what it checked'
    assert why_text(prompt.calls, 6) == "there is no call 6: calls 1 to 5 are known"


def test_rules_answers_mistakes(prompt: Prompt, capsys: pytest.CaptureFixture[str]) -> None:
    """A wrong name is a line of text here, too."""
    prompt.feed(["rules('cuMemAloc')", "rules('cuMemAlloc')"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("'cuMemAloc' is not a function of the driver API; did you mean: cuMemAlloc")
    assert "cuMemAlloc" in lines


def test_enums_are_those_of_the_driver(prompt: Prompt, capsys: pytest.CaptureFixture[str]) -> None:
    """What a call returns is a member of what stands at the prompt."""
    prompt.feed(["a.driver.cuInit(0)[0] is CUresult.CUDA_SUCCESS"])
    assert capsys.readouterr().out == "True\n"


def test_an_injected_fault_is_told_as_that(prompt: Prompt, capsys: pytest.CaptureFixture[str]) -> None:
    """By the history and by the reason, which name no rule."""
    prompt.feed(['fault = machine.fail("cuInit", code="NO_DEVICE")', "_ = a.c.cuInit(0)", "history()", "why()"])
    told = capsys.readouterr().out
    assert "injected by fail('cuInit', code='NO_DEVICE')" in told
    assert "  fault      fail('cuInit', code='NO_DEVICE')" in told
    assert "NO_FAULT_IS_INJECTED" not in told


def test_why_takes_a_call_a_code_a_handle_or_a_finding(prompt: Prompt) -> None:
    """Each finds the last failure that fits; a failure that there is not is said so."""
    lines = ["_, p = a.driver.cuMemAlloc(8)", "x = a.driver.cuMemFree(int(p) + 4)", "y = a.driver.cuMemAlloc(0)"]
    prompt.feed([*lines, "_ = a.driver.cuMemFree(p), a.driver.cuMemFree(p)", "a.c.cuMemRelease(7)"])

    def told(what: object) -> str:
        return why_text(prompt.calls, what).partition("\n")[0]

    scope = prompt.scope
    free, alloc = told(scope["driver"].cuMemFree), told(scope["y"])
    assert re.match(r"8  a/main  cuMemFree\(dptr=0x\w+\) -> INVALID_VALUE$", free)
    assert told(8) == told("cuMemFree") == told(scope["p"]) == free
    for code in (scope["CUresult"].CUDA_ERROR_INVALID_VALUE, scope["y"], "INVALID_VALUE", "CUDA_ERROR_INVALID_VALUE"):
        assert told(code) == free
    assert told(6) == "6  a/main  cuMemAlloc(bytesize=0) -> INVALID_VALUE" != alloc
    assert told("NO_DEVICE") == "no call answered NO_DEVICE"
    assert told(1 << 50) == "no call that mentions it broke a rule"
    assert told(prompt.machine.findings[0]).startswith("cuMemRelease in process a: breaks the rule:")
    assert told(-1).startswith("9  a/main  cuMemRelease(handle=7) -> undefined")
    assert told([]).startswith("[] is not a number of a call, a call, a code, a rule, a process, a handle or")
    assert told(object()).startswith("an object of object is not a number of a call")
    assert told(scope["a"]).startswith("9  a/main  cuMemRelease(handle=7) -> undefined")
    assert told(scope["a"].thread("other")) == told(scope["a"])
    assert told(scope["b"]) == "no call of process b broke a rule"
    assert told("INVALID_VALU").startswith("'INVALID_VALU' is not a call or a code; did you mean: INVALID_VALUE")


def test_why_tells_of_a_race_that_no_call_broke(prompt: Prompt, capsys: pytest.CaptureFixture[str]) -> None:
    """A finding without a refused call of its own is the last failure, too."""
    prompt.feed(["_ = a.c.cuMemAlloc(0)", "_ = a.c.cuCtxGetDevice()", "1"])
    machine = prompt.machine
    prompt.feed(["a.c.cuMemRelease(7)"])
    (found,) = machine.findings
    prompt.calls.found.append((prompt.calls.made, prompt.calls.made, found))
    capsys.readouterr()
    prompt.feed(["why()", "why(-2)", "why(-9)"])
    out = capsys.readouterr().out
    assert out.startswith("cuMemRelease in process a: breaks the rule:")
    assert "cuMemRelease(handle=7) -> undefined" in out
    assert out.endswith("3 calls broke a rule: why(-1) explains the last, why(-3) the first\n")
