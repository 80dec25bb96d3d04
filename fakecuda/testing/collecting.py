"""The machine that answers while conftest files and test modules are imported: the setting ``fakecuda_collection``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING
from zlib import crc32

import pytest

from fakecuda.errors import EndlessWait, FakeCudaError, UndefinedBehaviour
from fakecuda.testing import settings
from fakecuda.testing.fixture_lifecycle import policy_of

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from fakecuda import Machine

SETTING = "fakecuda_collection"
INSTALLED: pytest.StashKey[AbstractContextManager[Machine]] = pytest.StashKey()
"""The machine, until the tests are collected."""


def begin(config: pytest.Config) -> None:
    """Install the machine. Programs that are started meanwhile do not reach it.

    Args:
        config: The configuration before conftest files are imported.

    Raises:
        pytest.UsageError: The profile is unknown, or the machine cannot be installed.
    """
    options = config.known_args_namespace
    if options.fakecuda != "model":
        return  # the driver of this computer answers
    settings.check_suppressed(config)
    arguments = {
        "profile": config.getini(SETTING),
        "door": options.fakecuda_door,
        "races": settings.RACES.get(config.getini("fakecuda_races"), True),
        "kernels": options.fakecuda_kernels or config.getini("fakecuda_kernels"),
        "seed": crc32(SETTING.encode()),
        "shared": False,
    }
    installed = policy_of(config).machine(arguments)
    try:
        installed.__enter__()
    except FakeCudaError as error:
        msg = f"{SETTING}: {error}"
        raise pytest.UsageError(msg) from None
    config.stash[INSTALLED] = installed
    config.pluginmanager.register(sys.modules[__name__], SETTING)
    config.add_cleanup(lambda: end(config))


@pytest.hookimpl(trylast=True)
def pytest_collection_finish(session: pytest.Session) -> None:
    """End the machine of the imports."""
    end(session.config)


def end(config: pytest.Config) -> None:
    """End the machine, if there is one.

    Raises:
        pytest.UsageError: An import did what is undefined behaviour.
    """
    installed = config.stash.get(INSTALLED, None)
    if installed is None:
        return
    del config.stash[INSTALLED]
    try:
        installed.__exit__(None, None, None)
    except (UndefinedBehaviour, EndlessWait) as error:
        msg = f"while tests were collected: {error}"
        raise pytest.UsageError(msg) from None
