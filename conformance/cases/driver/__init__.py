"""The cases of the CUDA driver API: a package for each chapter of the manual, a module for each call."""
