"""Code: images, modules, libraries, linkers and kernels."""
