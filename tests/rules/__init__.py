"""Tests of the runtime API's own rules."""
