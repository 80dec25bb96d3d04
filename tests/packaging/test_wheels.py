"""What lies in the wheels, as hatchling would pack them; nothing is built and nothing is downloaded."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

ROOT = Path(__file__).parents[2]
SUITE = ROOT / "conformance"


@cache
def builder(root: Path) -> WheelBuilder:
    """Return what would build the wheel of a project."""
    return WheelBuilder(str(root))


@cache
def packed(root: Path) -> frozenset[str]:
    """Return the paths that the wheel of a project puts into site-packages, its own metadata apart."""
    return frozenset(file.distribution_path for file in builder(root).recurse_included_files())


def top_level(root: Path) -> set[str]:
    """Return the names that a wheel puts into site-packages."""
    return {path.partition("/")[0] for path in packed(root)}


def test_the_product_puts_its_own_names_into_site_packages() -> None:
    """Two packages and the hook of shared machines; the suite and the tests have no place there."""
    assert top_level(ROOT) == {"fakecuda", "realcuda", "fakecuda.pth"}
    assert builder(ROOT).metadata.core.entry_points == {"pytest11": {"fakecuda": "fakecuda.plugin"}}
    assert builder(ROOT).metadata.core.scripts == {"fakecuda": "fakecuda.__main__:main"}


def test_the_suite_puts_one_package_into_site_packages() -> None:
    """The folder of the checkout under its own name, without what builds it."""
    assert top_level(SUITE) == {"conformance"}
    assert {"conformance/__init__.py", "conformance/py.typed"} <= packed(SUITE)
    assert not packed(SUITE) & {"conformance/pyproject.toml", "conformance/hatch_build.py"}


@pytest.mark.parametrize("package", ["fakecuda", "realcuda"])
def test_the_product_says_that_it_is_typed(package: str) -> None:
    """Type checkers look at packages with this file alone."""
    assert f"{package}/py.typed" in packed(ROOT)


@pytest.mark.parametrize(("root", "package"), [(ROOT, "fakecuda"), (ROOT, "realcuda"), (SUITE, "conformance")])
def test_no_file_is_left_out(root: Path, package: str) -> None:
    """Data files, too, which no import misses before a user does."""
    found = {path.relative_to(ROOT) for path in (ROOT / package).rglob("*") if path.is_file()}
    kept = {path.as_posix() for path in found if not any(part.startswith((".", "__pycache__")) for part in path.parts)}
    assert kept - packed(root) <= {"conformance/pyproject.toml", "conformance/hatch_build.py"}


def test_the_suite_needs_the_product_of_its_version() -> None:
    """The version is stated once, and the suite's requirements are those of the product's extra."""
    product, suite = builder(ROOT).metadata, builder(SUITE).metadata
    assert suite.version == product.version
    assert suite.core.dependencies == [f"fakecuda[conformance]=={product.version}"]
    assert suite.core.requires_python == product.core.requires_python


@pytest.mark.parametrize("root", [ROOT, SUITE], ids=["product", "suite"])
def test_registries_refuse_it_until_there_is_a_licence(root: Path) -> None:
    """Who chooses one takes the classifier out in the same change."""
    core = builder(root).metadata.core
    licensed = bool(core.license or core.license_expression)
    assert ("Private :: Do Not Upload" in core.classifiers) is not licensed
