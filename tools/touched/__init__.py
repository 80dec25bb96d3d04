"""``python -m tools.touched [CALL|FILE]...`` runs what calls or files touch.

It reports all failures at once. :mod:`tools.touched.what` finds what is touched, :mod:`tools.touched.affected` what
else is affected, and :mod:`tools.touched.parts` runs the parts in parallel. :mod:`tools.touched.gates`,
:mod:`tools.touched.recorded` and :mod:`tools.touched.mutants` are parts that run in their own processes.
"""
