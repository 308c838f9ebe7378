# SPDX-License-Identifier: BSD-3-Clause
"""The report opened in headless Chromium: it runs without an error, loads nothing, sorts, and shows what is hovered."""

import json
import re
import shutil
import subprocess
from html import unescape

import numpy as np
import pandas as pd
import pytest

import isobreach as ib

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SCRIPT = "<script>alert(1)</script>"
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed: apt-get install chromium")

# Runs in the page, after its own script: tries everything a reader can do and leaves what it saw in the document.
PROBE = """<script>
window.addEventListener("load", () => {
  const seen = { errors: window.probeErrors };
  seen.resources = performance.getEntriesByType("resource").map((entry) => entry.name);
  seen.charts = document.querySelectorAll("svg.chart").length;
  const dot = document.querySelector("[data-tip]");
  dot.dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
  const tip = document.getElementById("tip");
  seen.tip = !tip.hidden && tip.textContent === dot.dataset.tip;
  const table = [...document.querySelectorAll("table.sortable")].pop();
  const names = () => [...table.tBodies[0].rows].map((row) => row.cells[0].textContent);
  const values = () => [...table.tBodies[0].rows].map((row) => Number(row.cells[1].dataset.value));
  const [first, second] = table.tHead.querySelectorAll("button");
  seen.names = names();
  second.click();
  seen.down = values();
  second.click();
  seen.up = values();
  first.click(); first.click();
  seen.sorted = names();
  seen.aria = first.closest("th").getAttribute("aria-sort");
  document.querySelector("figure button.zoom").click();
  const dialog = document.getElementById("enlarged");
  seen.enlarged = dialog.open && dialog.querySelectorAll("svg.chart").length;
  seen.wide = document.documentElement.scrollWidth <= window.innerWidth;
  seen.scripts = document.scripts.length;
  const out = document.createElement("pre");
  out.id = "probe";
  out.textContent = JSON.stringify(seen);
  document.body.append(out);
});
</script>"""
EARLY = """<script>window.probeErrors = [];
window.addEventListener("error", (event) => window.probeErrors.push(String(event.message)));
document.addEventListener("securitypolicyviolation", (event) => window.probeErrors.push(event.violatedDirective));
window.alert = () => window.probeErrors.push("alert");</script>"""


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.standard_normal((60, 3)), columns=["b", SCRIPT, "a"], index=[f"<i>{k}" for k in range(60)])
    path = tmp_path_factory.mktemp("page") / "report.html"
    ib.audit(frame, coalition_sizes=[1, 3], trials=6, noise_levels=[0.0, 1.0], epsilon=0.3, seed=0).to_html(path)
    return path


def _opened(page, tmp_path, width):
    text = page.read_text(encoding="utf-8")
    probed = tmp_path / "probed.html"
    probed.write_text(text.replace("<head>", f"<head>{EARLY}").replace("</body>", f"{PROBE}</body>"), encoding="utf-8")
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}"]
    command += [f"--window-size={width},900", "--virtual-time-budget=3000", "--dump-dom", probed.as_uri()]
    shown = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout
    found = re.search(r'<pre id="probe">(.*?)</pre>', shown, re.DOTALL)
    assert found, shown[-2000:]
    return json.loads(unescape(found.group(1)))


@pytest.mark.parametrize("width", [390, 1200])
def test_the_page_works_in_a_browser(report, tmp_path, width):
    seen = _opened(report, tmp_path, width)
    assert seen["errors"] == []
    assert seen["resources"] == []
    assert seen["charts"] == 5
    assert seen["tip"]
    assert seen["names"] == ["b", SCRIPT, "a"]
    assert seen["down"] == sorted(seen["down"], reverse=True)
    assert seen["up"] == sorted(seen["up"])
    assert sorted(seen["sorted"]) == sorted(seen["names"])
    assert seen["aria"] == "ascending"
    assert seen["enlarged"] == 1
    assert seen["wide"], "the page is wider than the window"
    assert seen["scripts"] == 3  # the page's own and the two of this test
