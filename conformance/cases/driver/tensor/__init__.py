"""Cases of the chapter tensor."""
