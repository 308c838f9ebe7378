# SPDX-License-Identifier: BSD-3-Clause
"""The report opened in headless Chromium: no error, no request, keys, both themes, a phone, and printed pages."""

import json
import re
import shutil
import subprocess
from base64 import b64encode
from dataclasses import replace
from datetime import date
from hashlib import sha256
from html import escape, unescape

import numpy as np
import pandas as pd
import pytest

import isobreach as ib
from isobreach.document import Decision
from isobreach.report import audit_document, document_page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SCRIPT = "<script>alert(1)</script>"
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed: apt-get install chromium")

# Runs in the page, after its own script: tries everything a reader can do and leaves what it saw in the document.
PROBE = """<script>
window.addEventListener("load", () => {
  const seen = { errors: window.probeErrors };
  seen.resources = performance.getEntriesByType("resource").map((entry) => entry.name);
  const matrix = document.querySelector(".mx");
  const cells = [...matrix.tBodies[0].rows].map((row) => [...row.cells].slice(1));
  const press = (key) => document.activeElement.dispatchEvent(
    new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  const stops = () => matrix.querySelectorAll('[tabindex="0"]').length;
  const where = () => cells.map((row) => row.indexOf(document.activeElement)).map((column, row) => [row, column])
    .find(([, column]) => column >= 0);
  seen.stops = [stops()];
  cells[0][0].focus();
  seen.walk = [where()];
  for (const key of ["ArrowRight", "ArrowRight", "ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowUp"]) {
    press(key);
    seen.walk.push(where());
  }
  seen.stops.push(stops());
  const tip = document.activeElement.querySelector(".tip");
  // Chromium may give the window its focus late: until then nothing in it is drawn as focused.
  seen.tip = [tip.textContent, tip.getBoundingClientRect().width > 100 || !document.hasFocus()];
  press("Escape");
  seen.left = where() === undefined;
  seen.hidden = tip.getBoundingClientRect().width <= 1;
  seen.headings = [...document.querySelectorAll("h1, h2, h3")].map((one) => Number(one.tagName[1]));
  seen.captions = [...document.querySelectorAll("table")].map((one) => one.caption?.textContent ?? "");
  seen.charts = [...document.querySelectorAll('svg[role="img"]')].map((one) => [
    document.getElementById(one.getAttribute("aria-labelledby")).textContent, getComputedStyle(one).display]);
  seen.outside = [...document.querySelectorAll('svg.wide[role="img"] text')].filter((one) =>
    one.getBoundingClientRect().right > one.ownerSVGElement.getBoundingClientRect().right + 1)
    .map((one) => one.textContent);
  seen.folded = [...document.querySelectorAll("details")].every((one) => !one.open);
  const light = (colour) => {
    const [r, g, b] = colour.match(/[0-9.]+/g).map((part) => {
      const value = Number(part) / 255;
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (one) => {
    const colour = getComputedStyle(one).backgroundColor;
    return colour === "rgba(0, 0, 0, 0)" && one.parentElement ? behind(one.parentElement) : colour;
  };
  seen.paper = light(getComputedStyle(document.body).backgroundColor);
  const read = [...document.querySelectorAll("p, li, td, th, dt, dd, h1, h2, small, summary, .v")];
  seen.contrast = Math.min(...read.map((one) => {
    const [a, b] = [light(getComputedStyle(one).color), light(behind(one))];
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  }));
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
# Of a page in a frame as wide as a phone: what is wider than that, and numbers that are broken.
PHONE = """<script>
window.addEventListener("load", () => {
  const view = document.querySelector("iframe").contentWindow, page = view.document;
  for (const one of page.querySelectorAll("details")) one.open = true;
  const lines = (range) => new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size;
  const seen = { width: view.innerWidth, page: page.documentElement.scrollWidth };
  seen.wide = [...page.querySelectorAll("main *")].filter((one) => !one.closest(".vh, .tip, thead, svg"))
    .filter((one) => one.getBoundingClientRect().right > view.innerWidth + 1).map((one) => one.outerHTML.slice(0, 80));
  seen.broken = [...page.querySelectorAll(".nw, .iv, .v")].filter((one) => {
    const range = page.createRange();
    range.selectNodeContents(one);
    return lines(range) > 1;
  }).map((one) => one.textContent);
  seen.counted = page.querySelectorAll(".nw").length;
  seen.outside = [...page.querySelectorAll('svg.narrow[role="img"] text')].filter((one) =>
    one.getBoundingClientRect().right > view.innerWidth).map((one) => one.textContent);
  seen.charts = [...page.querySelectorAll('svg[role="img"]')].map((one) => view.getComputedStyle(one).display);
  const out = document.createElement("pre");
  out.id = "probe";
  out.textContent = JSON.stringify(seen);
  document.body.append(out);
});
</script>"""
RUN = {
    "command": "isobreach audit",
    "command_line": "isobreach audit people.csv --id-column name --coalitions 1-12 --seed 0 --out again",
    "seed": 0,
    "parameters": {},
    "inputs": {"data": {"name": "people.csv", "hash": f"sha256:{'0' * 64}"}},
    "versions": {"isobreach": "0.1.0", "python": "3.11.7", "numpy": "2.4.6", "scipy": "1.17.1", "numba": "0.68.1"},
}


@pytest.fixture(scope="module")
def document():
    """An audit with long and short names, of columns and records, remedies and a limit."""
    rng = np.random.default_rng(0)
    columns = [f"average_monthly_income_in_region_{k:02d}" for k in range(8)] + [f"q{k}" for k in range(8)] + [SCRIPT]
    ids = [f"P-{1000 + k}" for k in range(60)]
    ids[3] = "anna.kowalska-schmidt@regional-hospital.example"
    frame = pd.DataFrame(rng.standard_normal((60, 17)) + 1, columns=columns, index=ids)
    options = {"noise_levels": [0.1], "epsilon": 0.3, "limit": 0.05, "seed": 0, "attacks": ["known-input"], "splits": 2}
    report = ib.audit(frame, coalition_sizes=[1, 2, 4, 12], trials=4, samples=[20], **options)
    return audit_document(report, RUN, "people", date(2026, 11, 17))


@pytest.fixture(scope="module")
def crowded():
    """All that may stand in the first part at once: columns of any kind, a limit, both verdicts, values that are read.

    Ranges and two public samples make four rows of the matrix, and no noise helps.
    """
    rng, rows = np.random.default_rng(0), 72
    frame = pd.DataFrame(
        {
            "rownames": range(rows),
            "patient_number": [f"P-{k:05d}" for k in range(rows)],
            **{f"admitted_{k}": pd.date_range("2024-01-31", periods=rows).strftime("%d.%m.%Y") for k in range(2)},
            **{
                f"amount_paid_{k}": [f"${value:,}.00" for value in rng.integers(100_000, 900_000, rows)]
                for k in range(3)
            },
            **{f"department_code_{k}": rng.choice(["4100", "4200", "9999"], rows) for k in range(4)},
            **{f"diagnosis_{k}": rng.choice(["yes", "no"], rows) for k in range(3)},
            **{f"comment_{k}": "none" for k in range(3)},
            "score": np.where(np.arange(rows) % 12, rng.integers(0, 40, rows).astype(str), ""),
        }
    )
    table = ib.prepare(frame, missing="drop", categories="one-hot")
    report = ib.audit(
        table, coalition_sizes=[1, 2, 4, 8], trials=4, samples=[20, 30], ranges=True, splits=2, limit=0.05, seed=0,
        noise_levels=[0.02], attacks=["known-input", "lattice"],
    )  # fmt: skip
    report = replace(report, comparing="isobreach compare admissions.csv --missing drop --categories one-hot")
    report = replace(report, beside={"as it is": report.verdict, "standardised": report.verdict})
    return audit_document(report, RUN, "admissions of the regional hospital", date(2026, 11, 17))


def _chromium(tmp_path, *arguments):
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}"]
    return subprocess.run([*command, *arguments], capture_output=True, text=True, timeout=120, check=True).stdout


def _probe(probed, tmp_path, width, *more):
    shown = _chromium(
        tmp_path, f"--window-size={width},900", "--virtual-time-budget=3000", *more, "--dump-dom", probed.as_uri()
    )
    found = re.search(r'<pre id="probe">(.*?)</pre>', shown, re.DOTALL)
    assert found, shown[-2000:]
    return json.loads(unescape(found.group(1)))


@pytest.mark.parametrize(("width", "theme"), [(1200, 1), (1200, 0)], ids=["light", "dark"])
def test_the_page_works_in_a_browser(document, tmp_path, width, theme):
    text = document_page(document)
    # The page's policy stays in force, for its own script too: it lets this test's script run beside it.
    inner = PROBE.removeprefix("<script>").removesuffix("</script>")
    digest = b64encode(sha256(inner.encode()).digest()).decode()
    assert text.count("; script-src &#39;sha256-") + text.count("; script-src 'sha256-") == 1
    text = text.replace("; script-src 'sha256-", f"; script-src 'sha256-{digest}' 'sha256-")
    probed = tmp_path / "probed.html"
    probed.write_text(text.replace("<head>", f"<head>{EARLY}").replace("</body>", f"{PROBE}</body>"), encoding="utf-8")
    seen = _probe(probed, tmp_path, width, f"--blink-settings=preferredColorScheme={theme}")
    assert seen["errors"] == []
    assert seen["resources"] == []
    assert seen["scripts"] == 3  # the page's own and the two of this test
    assert seen["stops"] == [1, 1]
    assert seen["walk"] == [[0, 0], [0, 1], [0, 2], [0, 1], [0, 0], [0, 0], [0, 0]]
    assert seen["tip"][0].startswith("0 insiders: ")
    assert seen["tip"][1]
    assert seen["left"]
    assert seen["hidden"]
    assert seen["headings"][0] == 1
    assert all(after - before <= 1 for before, after in zip(seen["headings"], seen["headings"][1:], strict=False))
    assert all(seen["captions"])
    assert [display for _, display in seen["charts"]] == ["block", "none"]
    assert all("insiders" in said for said, _ in seen["charts"])
    assert seen["outside"] == []
    assert seen["folded"]
    assert seen["paper"] > 0.9 if theme else seen["paper"] < 0.1
    assert seen["contrast"] >= 4.5


def test_a_phone_shows_all_of_it_unbroken(document, tmp_path):
    """390 px, all details open: nothing scrolls sideways, no number is broken, the narrow chart is shown."""
    framed = tmp_path / "framed.html"
    frame = (
        f'<iframe style="width: 390px; height: 900px; border: 0" srcdoc="{escape(document_page(document))}"></iframe>'
    )
    framed.write_text(f'<!doctype html><meta charset="utf-8"><body>{frame}{PHONE}</body>', encoding="utf-8")
    seen = _probe(framed, tmp_path, 1200)
    assert seen["page"] <= seen["width"] == 390
    assert seen["wide"] == []
    assert seen["counted"] > 100
    assert seen["broken"] == []
    assert seen["outside"] == []
    assert seen["charts"] == ["none", "block"]


def _pages(document, tmp_path):
    page, printed = tmp_path / "page.html", tmp_path / "page.pdf"
    page.write_text(document_page(document), encoding="utf-8")
    _chromium(tmp_path, "--no-pdf-header-footer", f"--print-to-pdf={printed}", page.as_uri())
    return len(re.findall(rb"/Type /Page\b", printed.read_bytes()))


@pytest.mark.parametrize("name", ["document", "crowded"])
def test_the_first_part_and_the_file_are_one_printed_page_each(name, request, tmp_path):
    document = request.getfixturevalue(name)
    sections = document.sections
    first = next(place for place, section in enumerate(sections) if section.page)
    file = next(place for place, section in enumerate(sections) if section.heading == "For the file")
    assert any(isinstance(block, Decision) for block in sections[0].blocks)
    assert [section.heading for section in sections[1:first]] == ["Who can do what"]
    assert _pages(replace(document, sections=sections[:first]), tmp_path) == 1
    # Both begin a page of their own, after one with nothing but the header.
    assert _pages(replace(document, sections=sections[file : file + 1]), tmp_path) - 1 == 1
    middle = _pages(replace(document, sections=sections[first:file]), tmp_path) - 1
    assert _pages(document, tmp_path) == 1 + middle + 1
