"""Tests of rules, operations and the layers between them."""
