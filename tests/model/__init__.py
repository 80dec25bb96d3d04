"""Tests of the state that the rules work on."""
