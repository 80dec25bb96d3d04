"""Build the site: ``python -m tools.site [OUT]``."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from tools.site import conformance
from tools.site.pages import ROOT, navigation, pictures, texts


def main() -> int:
    """Write the site's pages, and have mkdocs make HTML of them; a warning of it is a failure.

    Returns:
        0, 1 where mkdocs warned, or 2 where it is not installed.
    """
    parser = argparse.ArgumentParser(prog="python -m tools.site", description="build the site")
    parser.add_argument("out", nargs="?", type=Path, default=ROOT / "build" / "site", help="its folder; build/site")
    options = parser.parse_args()
    if find_spec("material") is None:
        print("python -m tools.site needs mkdocs-material: pip install -e '.[site]'", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as work:
        print("writing the pages, and the report of conformance, for half a minute", flush=True)
        written = write(Path(work), texts())
        print(f"mkdocs makes HTML of {written} pages, for a minute", flush=True)
        failed = built(Path(work), options.out.resolve())
    if not failed:
        print(f"{written} pages; to read and search them: python -m http.server -d {options.out}")
    return int(failed)


def built(folder: Path, out: Path) -> bool:
    """Have mkdocs make HTML of what was written into a folder; return whether it warned or failed."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--clean"]
    command += ["-f", f"{folder}/mkdocs.yml", "-d", str(out)]
    return bool(subprocess.run(command, check=False, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"}).returncode)


def write(folder: Path, found: dict[str, str]) -> int:
    """Write pages and the configuration of mkdocs into a folder; return how many pages there are.

    Args:
        folder: The folder.
        found: The pages by their paths.
    """
    for name, text in found.items():
        path = folder / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for picture in pictures():
        (folder / "docs" / "pictures").mkdir(exist_ok=True)
        shutil.copy(picture, folder / "docs" / "pictures")
    shutil.copy(Path(__file__).parent / "site.css", folder / "docs")
    if conformance.PAGE in found:
        conformance.place(folder / "docs")
    look = (Path(__file__).parent / "mkdocs.yml").read_text(encoding="utf-8")
    (folder / "mkdocs.yml").write_text(f"{look}nav: {json.dumps(navigation(found))}\n", encoding="utf-8")
    return len(found)


if __name__ == "__main__":
    sys.exit(main())
