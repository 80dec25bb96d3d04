"""What the start of an interpreter pays, with and without a machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from typing import TYPE_CHECKING

import pytest

import fakecuda
from fakecuda.reach.native.stubs import NATIVE

if TYPE_CHECKING:
    from .conftest import Suite

LISTED = """
import json, sys
import pytest
before = set(sys.modules)
import fakecuda.plugin
print(json.dumps(sorted(set(sys.modules) - before)))
"""
IMPORTERS = """
import importlib._bootstrap as imports
import json, sys
importers = {}
load = imports._load_unlocked
def noted(spec):
    frame = sys._getframe(1)
    while frame.f_globals["__name__"].partition(".")[0] in {"_frozen_importlib", "importlib"}:
        frame = frame.f_back
    importers[spec.name] = frame.f_globals["__name__"]
    return load(spec)
imports._load_unlocked = noted
"""
"""Notes which module imports each module first."""
NEVER = {"IPython", "conformance", "hip", "hypothesis", "numpy", "pytest", "realcuda", "rocm", "tests"}
"""Packages that no start needs."""
WITH_SURFACES = {
    "cuda.bindings.driver",
    "cuda.bindings.runtime",
    "fakecuda.explain.evidence",
    "fakecuda.prompt",
    "fakecuda.reach.bindings.coercion",
    "fakecuda.reach.bindings.driver",
    "fakecuda.reach.bindings.fallback_classes",
    "fakecuda.reach.bindings.hip",
    "fakecuda.reach.bindings.runtime",
    "fakecuda.reach.native.hip",
    "fakecuda.rules.driver.copy",
    "fakecuda.rules.driver.graph",
    "fakecuda.spec.runtime",
    "fakecuda.testing",
}
"""Modules that a machine needs only if the program uses them."""
STARTS = {
    "import fakecuda": ("import fakecuda", {"attr", "ctypes", "cuda", "fakecuda.model", "tomllib"}),
    "the plugin": (
        "import pytest; importers.clear(); import fakecuda.plugin",
        {"attr", "cuda", "fakecuda.model", "tomllib"},
    ),
    "--help": (
        "from fakecuda.__main__ import main\ntry: main(['--help'])\nexcept SystemExit: pass",
        {"attr", "cuda", "fakecuda.model", "fakecuda.prompt", "tomllib"},
    ),
    "a machine": (
        "import fakecuda; fakecuda.Machine()",
        WITH_SURFACES | {"cuda", "fakecuda.reach.native", "fakecuda.reach.remote", "msgpack"},
    ),
    "a machine, installed": ("import fakecuda; fakecuda.simulate().__enter__()", WITH_SURFACES),
}


def needless(program: str, unwanted: set[str], **environ: str) -> list[str]:
    """Return the unwanted modules that a program imports, each with its importer."""
    lines = f"{IMPORTERS}\n{program}\nprint(json.dumps(importers), file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-S", "-c", lines],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **environ},
    )
    importers: dict[str, str] = json.loads(done.stderr.splitlines()[-1])
    assert importers  # the interpreter still imports through this function
    found = [name for name in importers if any(f"{name}.".startswith(f"{one}.") for one in unwanted)]
    return [f"{importers[name]} imports {name}" for name in found]


@pytest.mark.parametrize("start", STARTS)
def test_a_start_imports_nothing_needless(start: str) -> None:
    """A start does without what the program may never use; the failure names the importer of each module."""
    program, unwanted = STARTS[start]
    assert needless(program, unwanted | NEVER) == []


@pytest.mark.skipif(not NATIVE, reason="attached processes call through the native door")
def test_a_childs_first_call_imports_nothing_needless() -> None:
    """A process that attaches needs neither the operations nor a machine of its own."""
    call = """
        import site; site.main()
        import ctypes
        assert ctypes.CDLL("libcuda.so.1").cuInit(0) == 0
    """
    with fakecuda.simulate(door="native"):
        found = needless(textwrap.dedent(call), WITH_SURFACES | NEVER | {"fakecuda.model.machine"})
    assert found == []


def test_a_needless_import_is_found() -> None:
    """The loop above names the module and its importer."""
    assert needless("import json.tool", {"argparse"}) == ["json.tool imports argparse"]


def test_plugin_loads_nothing_but_itself() -> None:
    """Neither the simulator nor what it needs is imported with the plugin."""
    done = subprocess.run([sys.executable, "-c", LISTED], capture_output=True, text=True, check=True)
    names = [name for name in json.loads(done.stdout) if name.partition(".")[0] not in sys.stdlib_module_names]
    assert names == [
        "fakecuda",
        "fakecuda.modes",
        "fakecuda.plugin",
        "fakecuda.renamed",
        "fakecuda.testing",
        "fakecuda.testing.settings",
    ]


def test_run_without_the_fixture_loads_nothing_more(suite: Suite) -> None:
    """A session in which no test asks for a machine does not import the simulator."""
    suite.write(
        test_it="""
            import sys
            import pytest

            @pytest.mark.fakecuda(profile="h200")
            def test_without_fixture():
                loaded = [name for name in sys.modules if name.partition(".")[0] in {"attr", "cuda", "fakecuda"}]
                assert sorted(loaded) == ["fakecuda", "fakecuda.modes", "fakecuda.plugin", "fakecuda.renamed", "fakecuda.testing", "fakecuda.testing.settings"]
        """
    )
    suite.environ["PYTEST_PLUGINS"] = ""  # such as tests.without_native, which imports
    done = suite.run(fresh=True)
    assert done.counts == {"PASSED": 1}, done.out


def test_assertions_of_fakecuda_are_not_rewritten(suite: Suite) -> None:
    """Its modules come as they are, those that a test's call imports, too."""
    suite.write(
        test_it="""
            import sys

            def test_with_the_fixture(fakecuda):
                assert fakecuda.machine.here.driver.cuInit(0) == (0,)
                ours = [name for name in sys.modules if name.startswith(("fakecuda.rules.", "fakecuda.model."))]
                assert "fakecuda.rules.driver.core.init" in ours
                loaders = {type(sys.modules[name].__spec__.loader).__name__ for name in ours}
                assert loaders == {"SourceFileLoader"}
                assert type(__spec__.loader).__name__ == "AssertionRewritingHook"
        """
    )
    done = suite.run(fresh=True)
    assert done.counts == {"PASSED": 1}, done.out
