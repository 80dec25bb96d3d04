"""What ROCm/hip-tests states of HIP: each expectation that can be said as a program is a case."""
