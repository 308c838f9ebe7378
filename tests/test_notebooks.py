# SPDX-License-Identifier: BSD-3-Clause
"""Notebooks of the documentation run from the first cell to the last, and are stored without output."""

import os
from pathlib import Path

import nbclient
import nbformat
import pytest

import isobreach

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_stored_without_output(path):
    cells = nbformat.read(path, as_version=4).cells
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in cells)


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
# The kernel's own libraries: sockets that they leave to the collector.
@pytest.mark.filterwarnings("default")
def test_a_notebook_runs(path, tmp_path, monkeypatch):
    source = str(Path(isobreach.__file__).parents[1])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([source, *filter(None, [os.environ.get("PYTHONPATH")])]))
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(tmp_path)}}).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    streams = [output for output in outputs if output.output_type == "stream"]
    assert [output.text for output in streams if output.name == "stderr"] == []
    said = "".join(output.text for output in streams)
    assert "insiders breach" in said
