"""Where the functions of the driver library lie while no library is loaded."""

from __future__ import annotations

from fakecuda.model.code.library import reserved
from fakecuda.model.memory.space import SPACE
from fakecuda.spec.symbols import symbols


def test_every_symbol_has_an_address_without_memory() -> None:
    """They differ, stay, and lie among the addresses that nobody can touch."""
    names = [symbol.name for symbol in symbols()]
    addresses = [reserved(name) for name in names]
    assert len(set(addresses)) == len(names)
    assert all(SPACE.start <= address < SPACE.end for address in addresses)
    assert [reserved(name) for name in names] == addresses
