"""Tests of everything but the rules, which conformance/ proves."""
