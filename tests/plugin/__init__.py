"""Tests of the pytest plugin, and of installation into a process."""
