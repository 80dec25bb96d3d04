"""Tests of the descriptions of calls."""
