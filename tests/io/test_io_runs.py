# SPDX-License-Identifier: BSD-3-Clause
import json
import platform

import numpy as np
import pytest

from isobreach._version import __version__
from isobreach.errors import OutputError
from isobreach.io import Source, file_hash, run_record, write_json


def test_a_run_is_recorded_without_paths(tmp_path):
    data = tmp_path / "data.csv"
    data.write_text("a\n1\n")
    record = run_record("audit", {"epsilon": 0.1, "out": tmp_path / "run"}, 7, {"data": Source(data, "DATA")})
    assert list(record) == ["command", "parameters", "seed", "versions", "inputs"]
    assert record["parameters"] == {"epsilon": 0.1, "out": "run"}
    assert record["seed"] == 7
    assert record["inputs"] == {"data": {"name": "data.csv", "hash": file_hash(data)}}
    assert list(record["versions"]) == ["isobreach", "python", "numpy", "scipy", "numba", "pyarrow"]
    assert record["versions"]["isobreach"] == __version__
    assert record["versions"]["python"] == platform.python_version()
    assert record["versions"]["numpy"] == np.__version__
    assert str(tmp_path) not in json.dumps(record)


def test_json_keeps_order_and_converts_numpy(tmp_path):
    path = tmp_path / "r.json"
    obj = {
        "b": np.float64(0.5),
        "a": (np.int64(1), np.bool_(True)),
        "é": np.arange(4).reshape(2, 2),
        "n": None,
    }
    write_json(path, obj)
    text = path.read_text(encoding="utf-8")
    assert list(json.loads(text)) == ["b", "a", "é", "n"]
    assert json.loads(text) == {"b": 0.5, "a": [1, True], "é": [[0, 1], [2, 3]], "n": None}
    assert text.endswith("}\n")
    assert '"é"' in text


@pytest.mark.parametrize("number", [float("nan"), np.float64("inf"), np.array([np.nan])])
def test_json_refuses_what_parsers_refuse_and_writes_nothing(tmp_path, number):
    with pytest.raises(ValueError, match=r"Out of range float"):
        write_json(tmp_path / "r.json", {"x": number})
    assert list(tmp_path.iterdir()) == []


def test_json_refuses_other_objects_by_type_alone(tmp_path):
    with pytest.raises(TypeError, match=r"^set has no JSON form$"):
        write_json(tmp_path / "r.json", {"x": {"secret-4711"}})


def test_json_is_not_overwritten_by_accident(tmp_path):
    write_json(tmp_path / "r.json", 1)
    with pytest.raises(OutputError, match=r"exists"):
        write_json(tmp_path / "r.json", 2)
    write_json(tmp_path / "r.json", 2, force=True)
    assert (tmp_path / "r.json").read_text() == "2\n"
