"""The conformance report as pages: ``python -m fakecuda conform --html DIR``.

- :mod:`.answers` reads every recording once; :mod:`.cells` says what the evidence of each documented code of a call is.
- :mod:`.programs`, :mod:`.cases` show what stands behind a cell; :mod:`.chapters` has a page for each chapter.
- :mod:`.front`, :mod:`.machines`, :mod:`.differences`, :mod:`.mutants` and :mod:`.result` are the other pages; :mod:`.write`
  writes them all.

Nothing is run: pages tell what recordings, evidence, ledger and cases hold, and what a run has shown that was made anyway.
"""
