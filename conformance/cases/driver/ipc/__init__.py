"""Cases of legacy interprocess handles."""
