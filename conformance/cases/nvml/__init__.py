"""Cases of NVML: a breach of each rule, and an answer of each call."""

from conformance.cases.nvml import sweeps as sweeps
