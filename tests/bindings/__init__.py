"""Tests of the look-alikes."""
