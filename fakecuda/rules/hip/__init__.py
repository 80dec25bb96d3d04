"""HIP's own rules: what ROCm/clr checks, in its order, and what ROCm/hip-tests demands.

No AMD card was asked: rules are graded ``source`` (read in the implementation) or ``hip-tests`` (stated by the tests of its
authors). The code of a rule is that of the implementation of 2026; the profile of another one names the rules and ways in
which it differs.
"""
