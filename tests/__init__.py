"""Tests of everything except the rules, which conformance/ proves."""
