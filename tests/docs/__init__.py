"""Tests of the README and the pages of docs/."""
