"""Recordings of real drivers: what to ask, how answers are kept, and replays on a model."""
