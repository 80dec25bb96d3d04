"""Tests of the installed package and its public interface."""
