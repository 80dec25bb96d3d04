"""Cases of devices, and of queries of devices."""
