"""Cases of HIP on two releases: its own rules, and statements of ROCm/hip-tests."""

from conformance.cases.hip import sweeps as sweeps
