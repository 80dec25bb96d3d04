"""Tests of realcuda, on stand-in drivers and on the simulated driver."""
