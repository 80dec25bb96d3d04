"""Cases of memory pools and stream-ordered allocation."""
