# SPDX-License-Identifier: BSD-3-Clause
"""A comparison as JSON, page, frame and figure: the same figures everywhere, and a page that can be read anywhere."""

import json
import re
import shutil
import subprocess
from dataclasses import replace
from html import escape, unescape
from importlib.resources import files

import numpy as np
import pytest

import isobreach as ib
from compared import WHY, comparison
from effort import slow
from isobreach.document import Matrix, MatrixCell, MatrixRow, Plane, Spot
from isobreach.report import comparison_document, comparison_schema, document_page, draw, figure
from isobreach.report.drawing import PLANES, RADIUS, apart, scattered
from json_schema import violations

SCHEMA = json.loads(files("isobreach.report").joinpath("comparison.schema.json").read_text(encoding="utf-8"))
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.fixture(scope="module")
def result():
    return comparison()


@pytest.fixture(scope="module")
def page(result):
    return document_page(comparison_document(result, title="people"))


def test_the_schema_is_that_of_the_records():
    """``python tools/comparison_schema.py`` writes the file."""
    assert comparison_schema() == SCHEMA


@pytest.mark.parametrize("classified", [True, False])
def test_the_result_keeps_to_the_schema(classified):
    data = json.loads(comparison(classified=classified).to_json())
    assert violations(data, SCHEMA) == []
    assert len(data["cells"]) == 23 * 20
    assert (data["schemes"][0]["utility"]["classifier"] is not None) is classified
    del data["cells"][0]["reason"]
    assert violations(data, SCHEMA)


def test_frame_json_and_result_agree(result):
    data, frame = json.loads(result.to_json()), result.to_frame()
    for told, one, (_, row) in zip(data["cells"], result.cells, frame.iterrows(), strict=True):
        assert (told["scheme"], told["attack"]) == (one.scheme, one.attack) == (row["scheme"], row["attack"])
        assert told["reason"] == one.reason
        if one.breached is None:
            assert told["breached_share"] is None
            assert np.isnan(row["breached"])
        else:
            assert told["breached_share"]["value"] == one.breached.value == row["breached"]
            assert told["least_privacy"] == pytest.approx(one.privacy.min())
            assert told["least_private_attribute"] == f"column {int(one.privacy.argmin()) + 1}"
    schemes = result.to_frame("schemes")
    assert schemes["standing"].tolist() == [one["standing"] for one in data["schemes"]]
    assert set(schemes["standing"]) == {"undone", "given away", "weakened", "held", "refused"}
    assert len(result.to_frame("times")) == sum(one.played for one in result.cells)
    with pytest.raises(ib.InputError, match="of must be one of cells, schemes, times"):
        result.to_frame("nothing")


def test_every_cell_is_on_the_page_with_its_figure_or_its_reason(result, page):
    text = unescape(page)
    for one in result.cells:
        head = f"{one.attack} on {one.scheme}: "
        assert f"{head}no estimate, " in text if one.breached is None else f"{head}breaches " in text
    assert f"no estimate, {WHY}." in text
    assert "<b>" not in re.findall(r"multiplicative-noise[^,]{0,12}", page)[0]
    assert "<script>alert" not in page


def test_findings_begin_with_what_to_do(result):
    """Two tables of figures, and no word on what an owner does with them."""
    held = [one for one in result.schemes if one.utility is not None and result.standing(one.label) == "held"]
    best = max(held, key=lambda one: one.utility.neighbours).label
    assert result.findings[0].startswith(
        f"Of the schemes that held against the attacks played here, {best} is the most useful: "
    )
    assert "Audit it before you publish (ib.audit with scheme=)." in result.findings[0]
    fallen = tuple(one for one in result.schemes if result.standing(one.label) == "undone")
    cells = tuple(one for one in result.cells if one.scheme in {scheme.label for scheme in fallen})
    assert replace(result, schemes=fallen, cells=cells).findings[0].startswith("None of these schemes held: do not")


def test_findings_name_every_scheme(result):
    said = " ".join(result.findings)
    assert all(one.label in said for one in result.schemes)
    counts = {standing: [result.standing(one.label) for one in result.schemes].count(standing) for standing in
              ("undone", "given away", "weakened", "held")}  # fmt: skip
    assert result.verdict.startswith(f"Of 22 schemes, {counts['undone']} ")
    assert f"{counts['given away']} give a rotation of the records away" in result.verdict
    assert f"{counts['weakened']} are weakened" in result.verdict
    assert f"{counts['held']} held" in result.verdict
    assert "safe" not in result.verdict.replace("not a proof of safety", "")


@pytest.mark.parametrize("chart", ["plane", *slow("breached")])
def test_charts_are_figures_and_files(result, chart):
    made = result.plot(chart)
    assert made.axes
    drawn = next(one for one in comparison_document(result).charts if one.name == chart)
    first, second = (draw(drawn) for _ in range(2))
    assert set(first) == {f"{chart}.svg", f"{chart}.png"}
    assert first == second


def test_the_heat_map_figure_shows_every_cell(result):
    axes = result.plot("breached").axes[0]
    assert len(axes.texts) == 23 * 20
    assert len(axes.get_yticklabels()) == 23
    assert [key.get_text() for key in axes.get_legend().get_texts()][-1] == "no estimate"


def spots(*places):
    return Plane(
        "p", "Plane", "caption", "x", "y", tuple(Spot(f"s{k}", x, y, "said") for k, (x, y) in enumerate(places))
    )


def test_points_that_coincide_share_a_number():
    plane = spots((1.0, 0.0), (0.99, 0.01), (0.5, 0.5), (1.0, 0.0))
    assert [[one.label for one in group] for group in plane.clusters] == [["s2"], ["s1", "s0", "s3"]]


def test_numbers_on_a_plane_do_not_cover_each_other():
    rng = np.random.default_rng(0)
    plane = spots(*np.clip(rng.choice([0.0, 0.03, 0.5, 0.97, 1.0], (40, 2)) + rng.normal(0, 0.02, (40, 2)), 0, 1))
    for drawing, sheet in zip(scattered(plane), PLANES, strict=True):
        places = np.array([(dot.x, dot.y) for dot in drawing.dots])
        gaps = np.linalg.norm(places[:, None] - places[None], axis=-1)[np.triu_indices(len(places), 1)]
        assert gaps.min() > 1.7 * RADIUS
        assert (places >= [sheet.left, sheet.top]).all()
        assert (places <= [sheet.right, sheet.bottom]).all()


def test_points_that_are_apart_stay_where_they_are():
    points = [(0.0, 0.0), (30.0, 0.0), (0.0, 40.0)]
    assert apart(points, 23.0, ((0.0, 100.0), (0.0, 100.0))) == points


def test_a_matrix_of_one_cell():
    block = Matrix(
        "h", "t", "c", "a", "b", ("x",), (MatrixRow("r", "", (MatrixCell("1", "said", 2),)),), tuple("abcdef"), "n", "m"
    )
    assert figure(block).axes[0].texts[0].get_text() == "1"


def test_a_notebook_shows_verdict_and_table(result):
    shown = result._repr_html_()
    assert "<table" in shown
    assert len(repr(result)) < 100
    assert len(result.summary().splitlines()) > 20


def test_to_html_writes_a_page_with_what_the_run_was_made_of(result, tmp_path):
    replace(result, call="ib.compare(X, seed=3)").to_html(tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text()
    assert "How to run it again" in text
    assert "ib.compare(" in text


PROBE = """<script>
window.addEventListener("load", () => {
  const view = document.querySelector("iframe").contentWindow, page = view.document;
  for (const one of page.querySelectorAll("details")) one.open = true;
  const light = (colour) => {
    const [r, g, b] = colour.match(/[0-9.]+/g).map((part) => {
      const value = Number(part) / 255;
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (one) => {
    const colour = view.getComputedStyle(one).backgroundColor;
    return colour === "rgba(0, 0, 0, 0)" && one.parentElement ? behind(one.parentElement) : colour;
  };
  const seen = { width: view.innerWidth, page: page.documentElement.scrollWidth };
  seen.wide = [...page.querySelectorAll("main *")].filter((one) => !one.closest(".vh, .tip, thead, svg"))
    .filter((one) => one.getBoundingClientRect().right > view.innerWidth + 1).map((one) => one.outerHTML.slice(0, 90));
  const shown = [...page.querySelectorAll(".hm td")].filter((one) => view.getComputedStyle(one).display !== "none");
  seen.cells = shown.length;
  seen.small = shown.filter((one) => one.querySelector(".v").getBoundingClientRect().width
    > one.getBoundingClientRect().width).length;
  seen.covered = [...page.querySelectorAll(".hm .up")].filter((one) => one.getBoundingClientRect().height > 190).length;
  seen.contrast = Math.min(...shown.map((one) => {
    const [a, b] = [light(view.getComputedStyle(one).color), light(behind(one))];
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  }));
  seen.charts = [...page.querySelectorAll('svg[role="img"]')].map((one) => view.getComputedStyle(one).display);
  seen.named = [...page.querySelectorAll('svg[role="img"]')].map((one) =>
    page.getElementById(one.getAttribute("aria-labelledby")).textContent.length > 40);
  seen.listed = page.querySelectorAll(".pk li").length;
  const out = document.createElement("pre");
  out.id = "probe";
  out.textContent = JSON.stringify(seen);
  document.body.append(out);
});
</script>"""


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed: apt-get install chromium")
@pytest.mark.parametrize(("width", "theme"), [(1200, 1), (390, 0)], ids=["wide, light", "phone, dark"])
def test_the_page_can_be_read(result, page, tmp_path, width, theme):
    """Nothing scrolls sideways, cells hold their figures, letters stand out, and the right drawing is shown."""
    framed = tmp_path / "framed.html"
    frame = f'<iframe style="width: {width}px; height: 900px; border: 0" srcdoc="{escape(page)}"></iframe>'
    framed.write_text(f'<!doctype html><meta charset="utf-8"><body>{frame}{PROBE}</body>', encoding="utf-8")
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}"]
    more = ["--window-size=1300,900", "--virtual-time-budget=3000", f"--blink-settings=preferredColorScheme={theme}"]
    done = subprocess.run(
        [*command, *more, "--dump-dom", framed.as_uri()], capture_output=True, text=True, timeout=120, check=True
    )
    seen = json.loads(unescape(re.search(r'<pre id="probe">(.*?)</pre>', done.stdout, re.DOTALL).group(1)))
    assert seen["page"] <= seen["width"] == width
    assert seen["wide"] == []
    played = sum(one.played for one in result.cells)
    assert seen["cells"] == (len(result.cells) if width > 390 else played)
    assert seen["small"] == seen["covered"] == 0
    assert seen["contrast"] >= 4.5
    assert seen["charts"] == (["block", "none"] if width > 390 else ["none", "block"])
    assert all(seen["named"])
    assert seen["listed"] == len(
        next(one for one in comparison_document(result).charts if one.name == "plane").clusters
    )
