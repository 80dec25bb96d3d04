"""Tests of NVML: rules, fakecuda's libnvidia-ml.so.1, clients, and recordings."""
