"""The memory of a machine: addresses, blocks, pools, mappings, arrays, copies."""
