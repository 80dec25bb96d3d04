"""What cases run on: the model, a real driver beside it, real processes on a model; and the differences that are known."""
