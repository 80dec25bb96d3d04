"""A dry run of a recording, with a model in place of the real driver.

``python -m conformance.record --library conformance.record.dry_run:library --cudart conformance.record.dry_run:cudart
--profile h200 ...`` runs all that runs beside a
GPU, from the arguments' conversion to C to the files, but for what several processes share: each has a model of its own.
"""

from __future__ import annotations

import os

import fakecuda
from conformance.kit import kernels as kernels  # noqa: PLC0414 - what kernels of recorded programs do
from fakecuda.reach.native.callbacks import door
from fakecuda.reach.native.cudart import Cudart, Functions
from fakecuda.reach.native.door import attach
from fakecuda.reach.native.objects import driver

PROFILE = "FAKECUDA_DRY_RUN"
"""The environment variable that names the model's profile."""


def cudart() -> Cudart:
    """Return a libcudart that calls the model, on the calling thread."""
    return Cudart(Functions(door.find), "libcudart.so.13")


def library() -> str:
    """Attach a new model to this process's ``libcuda.so.1``; return that name."""
    attach(fakecuda.Machine(os.environ.get(PROFILE, "h200"), strict=False))
    return driver().soname
