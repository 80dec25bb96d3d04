"""Compiled programs on simulated machines: in C, and linked to libcudart."""
