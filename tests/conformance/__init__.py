"""Tests of the conformance suite's parts: programs, names, recordings, cases."""
