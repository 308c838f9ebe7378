# SPDX-License-Identifier: BSD-3-Clause
"""Take the pictures of an audit's page that the docs show: ``python tools/page_pictures.py audit/report.html``.

Chromium draws the page twice: light on a desktop, and dark on a phone, inside a frame because no window is so narrow.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "docs" / "figures"
PICTURES = {"audit-light-1200": (1200, 1500, 1), "audit-dark-390": (390, 1500, 0)}
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def take(page: Path) -> None:
    """Write every picture of a page."""
    if CHROMIUM is None:
        sys.exit("Chromium is not installed: apt-get install chromium")
    with tempfile.TemporaryDirectory() as place:
        for name, (width, height, light) in PICTURES.items():
            frame = Path(place, "frame.html")
            style = f"border:0;width:{width}px;height:{height}px"
            source = page.resolve().as_uri()
            frame.write_text(f'<!doctype html><body style="margin:0"><iframe src="{source}" style="{style}"></iframe>')
            command = [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
            command += ["--allow-file-access-from-files", f"--user-data-dir={place}/profile"]
            command += [f"--blink-settings=preferredColorScheme={light}", f"--window-size={width},{height}"]
            command += [f"--screenshot={FOLDER / name}.png", frame.as_uri()]
            subprocess.run(command, check=True, capture_output=True, timeout=120)


if __name__ == "__main__":
    take(Path(sys.argv[1]))
