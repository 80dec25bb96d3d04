"""``python -m tools.touched [CALL|FILE]...`` runs what a call or a file touches, and reports all failures at once.

:mod:`tools.touched.what` finds out what that is, :mod:`tools.touched.affected` who else calls or imports it,
:mod:`tools.touched.parts` runs the parts beside one another. Parts that need a process of their own are
:mod:`tools.touched.gates`, :mod:`tools.touched.recorded` and :mod:`tools.touched.mutants`.
"""
