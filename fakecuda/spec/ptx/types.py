"""The types of PTX: their kind and size."""

from __future__ import annotations

INT, FLOAT, BITS, PREDICATE = "int", "float", "bits", "predicate"

TYPES: dict[str, tuple[str, int]] = {
    **{f".u{bits}": (INT, bits) for bits in (8, 16, 32, 64)},
    **{f".s{bits}": (INT, bits) for bits in (8, 16, 32, 64)},
    **{f".b{bits}": (BITS, bits) for bits in (1, 8, 16, 32, 64, 128)},
    **{f".f{bits}": (FLOAT, bits) for bits in (16, 32, 64)},
    ".pred": (PREDICATE, 1),
    ".f16x2": ("f16x2", 32),
    ".bf16": ("bf16", 16),
    ".bf16x2": ("bf16x2", 32),
    ".tf32": ("tf32", 32),
    ".u16x2": ("u16x2", 32),
    ".s16x2": ("s16x2", 32),
    ".f32x2": ("f32x2", 64),
    ".e4m3": ("e4m3", 8),
    ".e5m2": ("e5m2", 8),
    ".e4m3x2": ("e4m3x2", 16),
    ".e5m2x2": ("e5m2x2", 16),
    ".e4m3x4": ("e4m3x4", 32),
    ".e5m2x4": ("e5m2x4", 32),
    ".e2m1x2": ("e2m1x2", 8),
    ".e2m3x2": ("e2m3x2", 16),
    ".e3m2x2": ("e3m2x2", 16),
    ".e2m1x4": ("e2m1x4", 16),
    ".e2m3x4": ("e2m3x4", 32),
    ".e3m2x4": ("e3m2x4", 32),
    ".ue8m0x2": ("ue8m0x2", 16),
    ".u2": ("u2", 2),
    ".s2": ("s2", 2),
    ".u4": ("u4", 4),
    ".s4": ("s4", 4),
    ".e3m2": ("e3m2", 8),
    ".e2m3": ("e2m3", 8),
    ".e2m1": ("e2m1", 4),
    ".ue8m0": ("ue8m0", 8),
    ".ue4m3": ("ue4m3", 8),
    ".any8": ("any", 8),
    ".any16": ("any", 16),
    ".any32": ("any", 32),
    ".any64": ("any", 64),
}
"""The kind and the bits of each type; ``any`` types are the table's own."""
