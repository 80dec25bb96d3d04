"""Tests of the description of the calls."""
