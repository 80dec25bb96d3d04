"""Tests of several OS processes on one simulated machine."""
