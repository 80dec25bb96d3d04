"""The machine of a session that all tests and workers share: ``--fakecuda-shared``."""

from __future__ import annotations

import pytest

from fakecuda.errors import FakeCudaError
from fakecuda.machine import install
from fakecuda.testing import fixture_lifecycle, settings, xdist


def share(config: pytest.Config, profile: str) -> None:
    """Offer one machine to all workers; in a worker, use that machine.

    Raises:
        pytest.UsageError: The machine cannot be made.
    """
    if not hasattr(config, "workerinput"):
        try:
            machine, ending = xdist.offer(profile, settings.mode_of(config, "kernels"))
        except FakeCudaError as error:
            msg = (
                f"--fakecuda-shared: {error}; if a test's path follows the option, write a profile after '=': "
                "--fakecuda-shared=h200-x2"
            )
            raise pytest.UsageError(msg) from None
        fixture_lifecycle.policy_of(config).rule(machine)
        config.stash[settings.SHARED] = machine
        config.add_cleanup(ending.close)
    config.add_cleanup(install.use_instead(xdist.attached))
