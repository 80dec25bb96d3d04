"""The suite and the search on many hosts: ``python -m conformance.fleet``.

The driver of a fleet makes slices: some checks of the suite, some programs of the search, the profile of a kind of
machine. A group of GPUs of some host takes one after the other. What came of each is written down at once, and children
follow from it: checks that lack a device are asked on more devices, what differs is asked on other hosts, too. Only
:mod:`conformance.fleet.on_ray` knows Ray.
"""
