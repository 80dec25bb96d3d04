"""Memory of a machine: addresses, blocks, pools, mappings, arrays, and what copies move."""
