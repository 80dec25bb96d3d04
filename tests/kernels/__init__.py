"""Tests of kernels that run from their PTX."""
