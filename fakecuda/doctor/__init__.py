"""What ``python -m fakecuda doctor`` reports of a package or a file."""
