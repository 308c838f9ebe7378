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
  const figure = document.querySelector("figure"), chart = figure.querySelector("svg.chart");
  const look = (svg) => ({
    ticks: [...svg.querySelectorAll(".axes text")].map((text) => text.textContent),
    dots: [...svg.querySelectorAll(".dot")].map((dot) => ["cx", "cy"].map((name) => Number(dot.getAttribute(name)))),
  });
  const press = (svg, key) => svg.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  const tools = [...figure.querySelectorAll("button.zoom")];
  seen.tools = tools.map((button) => button.getAttribute("aria-label"));
  seen.before = look(chart);
  tools[0].click();
  seen.zoomed = look(chart);
  tools[1].click();
  seen.out = look(chart);
  press(chart, "+");
  seen.typed = look(chart);
  press(chart, "0");
  seen.reset = look(chart);
  chart.focus();
  press(chart, "ArrowRight");
  press(chart, "ArrowRight");
  seen.chosen = [...chart.querySelectorAll(".dot")].findIndex((dot) => dot.classList.contains("chosen"));
  seen.spoken = !tip.hidden && tip.textContent;
  press(chart, "ArrowDown");
  seen.next = [...chart.querySelectorAll(".dot")].findIndex((dot) => dot.classList.contains("chosen"));
  const box = chart.getBoundingClientRect();
  const mouse = (name, x, y) => chart.dispatchEvent(new PointerEvent(name, {
    clientX: box.left + x * box.width, clientY: box.top + y * box.height,
    button: 0, pointerType: "mouse", bubbles: true,
  }));
  mouse("pointerdown", 0.3, 0.2);
  mouse("pointermove", 0.6, 0.5);
  seen.framed = chart.querySelectorAll(".frame").length;
  mouse("pointerup", 0.6, 0.5);
  seen.dragged = look(chart);
  seen.unframed = chart.querySelectorAll(".frame").length;
  chart.dispatchEvent(new MouseEvent("dblclick", { bubbles: true }));
  seen.again = look(chart);
  tools[3].click();
  const dialog = document.getElementById("enlarged");
  seen.enlarged = dialog.open && dialog.querySelectorAll("svg.chart").length;
  const large = dialog.querySelector("svg.chart");
  large.dispatchEvent(new WheelEvent("wheel", { deltaY: -100, bubbles: true, cancelable: true }));
  seen.wheeled = look(large);
  seen.behind = look(chart);
  dialog.close();
  window.dispatchEvent(new Event("beforeprint"));
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
    _check_zoom(seen)
    assert seen["wide"], "the page is wider than the window"
    assert seen["scripts"] == 3  # the page's own and the two of this test


def _check_zoom(seen):
    """Zoomed in by buttons, keys, dragging or the wheel: other ticks, dots farther apart; and all of it again."""
    name = "Others breached"
    assert seen["tools"] == [f"zoom in: {name}", f"zoom out: {name}", f"show all: {name}", f"enlarge: {name}"]
    before = seen["before"]
    assert before["ticks"][:5] == ["0%", "25%", "50%", "75%", "100%"]
    for way in ("zoomed", "typed", "dragged", "wheeled"):
        assert seen[way]["ticks"] != before["ticks"], way
        apart, was = (abs(look["dots"][1][0] - look["dots"][0][0]) for look in (seen[way], before))
        assert apart > 1.2 * was, way
    shown = [float(tick.rstrip("%")) for tick in seen["zoomed"]["ticks"] if tick.endswith("%")]
    assert shown == sorted(shown)
    assert 20 <= shown[0] < shown[-1] <= 80  # the middle 60%
    for way in ("out", "reset", "again", "behind"):
        assert seen[way]["ticks"] == before["ticks"], way
        np.testing.assert_allclose(seen[way]["dots"], before["dots"], atol=0.01)
    assert (seen["framed"], seen["unframed"]) == (1, 0)
    assert (seen["chosen"], seen["next"]) == (1, 3)  # the second dot of a line of two, and of the next line
    assert seen["spoken"].startswith("3 insiders: breached ")
