"""Cases of multicast objects; a driver needs ``--allow-multicast``."""
