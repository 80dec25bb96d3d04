"""Cases of multicast objects; a real driver is asked them with ``--allow-multicast`` alone."""
