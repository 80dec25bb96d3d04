"""Cases of HIP, on its runtimes of two years: its own rules, and what ROCm/hip-tests states."""

from conformance.cases.hip import sweeps as sweeps
