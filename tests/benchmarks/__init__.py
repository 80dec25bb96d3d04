"""Tests that the benchmarks run; they report no speed."""
