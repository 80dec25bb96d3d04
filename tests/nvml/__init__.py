"""Tests of NVML: its rules, the libnvidia-ml.so.1 that fakecuda writes, its clients, and what cards have answered."""
