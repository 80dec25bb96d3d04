"""Tests of the native door."""
