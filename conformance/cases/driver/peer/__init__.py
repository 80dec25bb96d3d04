"""Peer access between contexts, and the links that it goes over."""
