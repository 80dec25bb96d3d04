"""``python -m tools.site [OUT]`` builds the site."""

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
    """Write the site's pages, and convert them to HTML with mkdocs.

    Returns:
        0; 1 if mkdocs warned or failed; 2 if it is not installed.
    """
    parser = argparse.ArgumentParser(prog="python -m tools.site", description="build the site")
    parser.add_argument(
        "out", nargs="?", type=Path, default=ROOT / "build" / "site", help="its folder; default: build/site"
    )
    options = parser.parse_args()
    if find_spec("material") is None:
        print("python -m tools.site needs mkdocs-material: pip install -e '.[site]'", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as work:
        print("writing the pages and the conformance report: about half a minute", flush=True)
        written = write(Path(work), texts())
        print(f"mkdocs converts {written} pages to HTML, which takes about a minute", flush=True)
        failed = built(Path(work), options.out.resolve())
    if not failed:
        print(f"{written} pages; to read and search them: python -m http.server -d {options.out}")
    return int(failed)


def built(folder: Path, out: Path) -> bool:
    """Convert a folder's pages to HTML with mkdocs.

    Return whether it warned or failed.
    """
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--clean"]
    command += ["-f", f"{folder}/mkdocs.yml", "-d", str(out)]
    return bool(subprocess.run(command, check=False, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"}).returncode)


def write(folder: Path, found: dict[str, str]) -> int:
    """Write pages and the configuration of mkdocs into a folder.

    Return the number of pages.

    Args:
        folder: The folder.
        found: The pages, by path.
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
