"""Recordings of real drivers: their programs, their files, and their replay."""
