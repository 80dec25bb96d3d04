"""Tests of the tools of a checkout: what writes generated files, and what begins a new call."""
