"""Tests of profiles, and of errors in malformed ones."""
