"""The report of ``python -m fakecuda doctor`` on a package or a file."""
