"""Tests of profiles: what is read, and what a malformed one is told."""
