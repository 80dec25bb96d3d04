"""SVG drawings of boxes, lines and text, for light and dark pages."""

from __future__ import annotations

from html import escape
from pathlib import Path

from attrs import define, field, frozen

CHARACTER = 6.7
"""The width of a character in the monospaced font of 11 pixels."""
LINE = 15
"""The distance between lines of text."""
PAD = 8
"""The padding between text and the border of a box."""
FILLS = {
    "way in": "#ffd8a8",
    "sharing": "#d0bfff",
    "rules": "#b2f2bb",
    "model": "#a5d8ff",
    "ground": "#dee2e6",
    "user": "#ffffff",
    "refused": "#ffec99",
    "race": "#ffa8a8",
}
"""The fill colours of boxes, by kind."""
STYLE = """
  .fakecuda text { font: 11px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #1f2328; }
  .fakecuda .title { font-weight: bold; }
  .fakecuda .beside, .fakecuda .heading { fill: #57606a; }
  .fakecuda .heading { font-weight: bold; }
  .fakecuda .wrong { fill: #c92a2a; }
  .fakecuda .box { stroke: #57606a; stroke-width: 1; }
  .fakecuda polyline { stroke: #868e96; stroke-width: 1.2; fill: none; }
  .fakecuda .event { stroke: #7950f2; stroke-width: 1.6; }
  .fakecuda .missing { stroke: #e03131; stroke-width: 1.6; stroke-dasharray: 5 3; }
  .fakecuda .dot { fill: #e8590c; }
  .fakecuda .ring { fill: none; stroke: #e8590c; stroke-width: 1.8; }
  @media (prefers-color-scheme: dark) {
    .fakecuda .beside, .fakecuda .heading { fill: #adbac7; }
    .fakecuda .wrong { fill: #ffa8a8; }
    .fakecuda .line { stroke: #909dab; }
    .fakecuda .event { stroke: #b197fc; }
    .fakecuda .missing { stroke: #ff8787; }
  }
"""
"""The style applies only to the picture, also inside a page."""
ENDS = {"line": "#868e96", "event": "#7950f2", "missing": "#e03131"}
"""The colours of arrowheads, by line style."""


@frozen
class Picture:
    """A picture as SVG, which notebooks display.

    Attributes:
        svg: Its text.
    """

    svg: str

    def save(self, path: str | Path) -> None:
        """Write the picture to a file."""
        Path(path).write_text(self.svg, encoding="utf-8")

    def _repr_svg_(self) -> str:
        return self.svg


@define
class Drawing:
    """A picture that grows to what is drawn in it.

    Attributes:
        title: A description for readers who cannot see it.
    """

    title: str
    _parts: list[str] = field(factory=list)
    _ends: set[str] = field(factory=set)
    _width: float = 0
    _height: float = 0

    def box(self, x: float, y: float, width: float, height: float, kind: str) -> None:
        """Draw a box with the colour of its kind."""
        self._parts.append(
            f'<rect class="box" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="4" fill="{FILLS[kind]}"/>'
        )
        self._reach(x + width, y + height)

    def text(self, x: float, y: float, words: str, style: str = "") -> None:
        """Write a line of text from its baseline's start."""
        named = f' class="{style}"' if style else ""
        self._parts.append(f'<text{named} x="{x:g}" y="{y:g}">{escape(words)}</text>')
        self._reach(x + width_of(words), y + PAD)

    def line(self, *points: tuple[float, float], arrow: bool = False, style: str = "line") -> None:
        """Draw a line through points, optionally with an arrow at the end."""
        path = " ".join(f"{x:g},{y:g}" for x, y in points)
        mark = f' marker-end="url(#{style}-end)"' if arrow else ""
        self._parts.append(f'<polyline class="{style}" points="{path}"{mark}/>')
        if arrow:
            self._ends.add(style)
        for x, y in points:
            self._reach(x, y)

    def dot(self, x: float, y: float, style: str) -> None:
        """Draw a dot, or a ring."""
        self._parts.append(f'<circle class="{style}" cx="{x:g}" cy="{y:g}" r="4"/>')
        self._reach(x + 4, y + 4)

    def svg(self) -> str:
        """Return the picture's text."""
        width, height = self._width + 2 * PAD, self._height + 2 * PAD
        ends = "".join(
            f'<marker id="{style}-end" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" '
            f'markerUnits="userSpaceOnUse" orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="{ENDS[style]}"/></marker>'
            for style in sorted(self._ends)
        )
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="fakecuda" viewBox="0 0 {width:g} {height:g}" '
            f'width="{width:g}" role="img">'
        )
        lines = [
            head,
            f"<title>{escape(self.title)}</title>",
            f"<style>{STYLE}</style>",
            f"<defs>{ends}</defs>",
            *self._parts,
            "</svg>",
        ]
        return "\n".join(lines) + "\n"

    def _reach(self, x: float, y: float) -> None:
        self._width, self._height = max(self._width, x), max(self._height, y)


def width_of(words: str) -> float:
    """Return the maximum width of a line of text."""
    return len(words) * CHARACTER
