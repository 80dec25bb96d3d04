"""That the benchmarks run; how fast anything is they tell nobody but who asks them."""
