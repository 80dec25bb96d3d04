"""Programs with all their interleavings: what race detection reports of them, and what it should."""
