"""The symbols that cuGetProcAddress looks through."""

from __future__ import annotations

from fakecuda.rules.driver.core.get_proc_address import _forms


def test_the_newest_form_of_a_function_comes_first() -> None:
    """A variant for the default stream of each thread comes before its like, so that the first that fits is the one."""
    _forms.cache_clear()
    forms = _forms()
    assert len(forms[b"cuMemcpyHtoDAsync"]) > 1
    for found in forms.values():
        order = [(one.version, one.stream) for one in found]
        assert order == sorted(order, reverse=True)
