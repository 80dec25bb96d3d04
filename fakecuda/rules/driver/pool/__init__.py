"""Memory pools and stream-ordered allocation."""
