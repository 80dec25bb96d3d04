"""Cases of NVML: each rule is broken once, and each call answers; what it tells is tested in ``tests/nvml``."""

from conformance.cases.nvml import sweeps as sweeps
