# SPDX-License-Identifier: BSD-3-Clause
"""The report opened in headless Chromium: it runs without an error, loads nothing, sorts, and shows what is hovered."""

import json
import re
import shutil
import subprocess
from base64 import b64encode
from hashlib import sha256
from html import escape, unescape

import numpy as np
import pandas as pd
import pytest

import isobreach as ib
from isobreach.report import audit_page

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


# Beside the page in a frame as wide as a phone: what has to be scrolled, what is broken, and how headers look.
PHONE = """<script>
window.addEventListener("load", () => {
  const view = document.querySelector("iframe").contentWindow, page = view.document, seen = {};
  const lines = (element) => new Set([...element.getClientRects()].map((box) => Math.round(box.top))).size;
  const broken = (rule) => [...page.querySelectorAll(rule)].filter((one) => {
    const range = page.createRange();
    range.selectNodeContents(one);
    return lines(range) > 1;
  }).map((one) => one.textContent);
  seen.width = view.innerWidth;
  seen.page = page.documentElement.scrollWidth;
  seen.scrolled = [...page.querySelectorAll(".wide, pre")].filter((one) => one.scrollWidth > one.clientWidth + 1)
    .map((one) => one.textContent.slice(0, 60));
  seen.broken = [...broken("table:not(.stack) .short"), ...broken("td span"), ...broken("pre span:not(:nth-child(5))")];
  seen.command = view.getSelection().selectAllChildren(page.querySelector("pre")) ?? view.getSelection().toString();
  seen.counted = page.querySelectorAll("td span").length;
  seen.stacked = [...page.querySelectorAll("table.stack")].map((one) => one.tBodies[0].rows[0].cells[0].dataset.label);
  const button = [...page.querySelectorAll("table.sortable")].pop().tHead.querySelector("button");
  const arrow = () => ["content", "opacity"].map((name) => view.getComputedStyle(button, "::after")[name]);
  seen.before = arrow();
  button.click();
  seen.after = arrow();
  seen.aria = button.closest("th").getAttribute("aria-sort");
  const out = document.createElement("pre");
  out.id = "probe";
  out.textContent = JSON.stringify(seen);
  document.body.append(out);
});
</script>"""


def _opened(page, tmp_path, width):
    text = page.read_text(encoding="utf-8")
    # The page's policy stays in force, for its own script too: it lets this test's script run beside it.
    inner = PROBE.removeprefix("<script>").removesuffix("</script>")
    digest = b64encode(sha256(inner.encode()).digest()).decode()
    assert text.count("; script-src 'sha256-") == 1
    text = text.replace("; script-src 'sha256-", f"; script-src 'sha256-{digest}' 'sha256-")
    probed = tmp_path / "probed.html"
    probed.write_text(text.replace("<head>", f"<head>{EARLY}").replace("</body>", f"{PROBE}</body>"), encoding="utf-8")
    return _probe(probed, tmp_path, width)


def _probe(probed, tmp_path, width):
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
    assert sorted(seen["names"]) == sorted(["b", SCRIPT, "a"])
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


@pytest.fixture(scope="module")
def long_names(tmp_path_factory):
    """A page of an audit with long and short names: of columns, of records, and in its command line."""
    rng = np.random.default_rng(0)
    columns = [f"average_monthly_income_in_region_{k:02d}" for k in range(10)] + [f"q{k}" for k in range(10)]
    ids = [f"P-{1000 + k}" for k in range(60)]
    ids[3] = "anna.kowalska-schmidt@regional-hospital.example"
    frame = pd.DataFrame(rng.standard_normal((60, 20)), columns=columns, index=ids)
    report = ib.audit(frame, coalition_sizes=range(1, 13), trials=6, noise_levels=[0.0, 1.0], epsilon=0.3, seed=0)
    run = {
        "command": "isobreach audit",
        "command_line": f"isobreach audit people.csv --columns {','.join(columns)} --seed 0 --out again",
        "seed": 0,
        "parameters": {},
        "inputs": {"data": {"name": "people.csv", "hash": "0" * 64}},
        "versions": {"isobreach": "0"},
    }
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(audit_page(report, run), encoding="utf-8")
    return path


def test_a_phone_shows_all_of_it_unbroken(long_names, tmp_path):
    """390 px: nothing scrolls sideways, no number and no short id is broken; headers show that they sort, and how."""
    framed = tmp_path / "framed.html"
    inner = escape(long_names.read_text(encoding="utf-8"))
    frame = f'<iframe style="width: 390px; height: 900px; border: 0" srcdoc="{inner}"></iframe>'
    framed.write_text(f'<!doctype html><meta charset="utf-8"><body>{frame}{PHONE}</body>', encoding="utf-8")
    seen = _probe(framed, tmp_path, 1200)
    assert seen["page"] <= seen["width"] == 390
    assert seen["scrolled"] == []
    assert seen["counted"] > 100
    assert seen["broken"] == []
    assert re.fullmatch(r"isobreach audit people.csv --columns [\w,]+ --seed 0 --out again", seen["command"].strip())
    assert "insiders" in seen["stacked"]
    (before, dimmed), (after, clear) = seen["before"], seen["after"]
    assert re.findall("[\u25b2\u25bc]", before) == ["\u25b2", "\u25bc"]
    assert re.findall("[\u25b2\u25bc]", after) == ["\u25bc"]
    assert float(dimmed) < float(clear) == 1
    assert seen["aria"] == "descending"
