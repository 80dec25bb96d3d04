"""What ``python -m fakecuda doctor`` finds in a package or a file, without running it."""
