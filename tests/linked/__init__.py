"""Programs that are compiled: in C without Python, and linked to libcudart, on simulated machines."""
