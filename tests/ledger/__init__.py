"""Tests that the ledger, the documentation and the rules agree."""
