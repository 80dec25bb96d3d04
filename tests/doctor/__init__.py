"""Tests of ``python -m fakecuda doctor``."""
