"""Legacy interprocess handles."""
