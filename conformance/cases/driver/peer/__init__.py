"""Cases of peer access between contexts, and of links between devices."""
