"""Targets of cases: the model, a driver beside it, OS processes on a model."""
