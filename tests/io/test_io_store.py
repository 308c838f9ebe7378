# SPDX-License-Identifier: BSD-3-Clause
"""Unfinished work on the disk."""

import numpy as np
import pytest

from isobreach.errors import InputError
from isobreach.io import FileStore


def test_what_is_kept_comes_back_bit_for_bit(tmp_path):
    store = FileStore(tmp_path / "work.npz")
    assert store.load() is None
    arrays = {"a": np.array([0.1, np.nan, -0.0]), "b": np.arange(6, dtype=np.int32).reshape(2, 3)}
    store.keep({"a": np.zeros(1)})
    store.keep(arrays)
    again = FileStore(tmp_path / "work.npz").load()
    assert sorted(again) == ["a", "b"]
    assert all(again[name].tobytes() == arrays[name].tobytes() for name in arrays)
    assert again["b"].dtype == np.int32
    assert [path.name for path in tmp_path.iterdir()] == ["work.npz"]
    assert (tmp_path / "work.npz").stat().st_mode & 0o077 == 0
    store.remove()
    assert store.load() is None


def test_it_is_due_after_a_while(tmp_path):
    assert FileStore(tmp_path / "work.npz", seconds=0).due()
    assert not FileStore(tmp_path / "work.npz", seconds=1000).due()


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 not a zip", b"some text"])
def test_a_damaged_file_is_named(tmp_path, content):
    (tmp_path / "work.npz").write_bytes(content)
    with pytest.raises(InputError, match=r"work\.npz must be the unfinished work of an audit"):
        FileStore(tmp_path / "work.npz").load()


def test_what_a_killed_run_left_half_written_is_replaced_and_removed(tmp_path):
    (tmp_path / "work.npz.partial").write_bytes(b"half of it")
    store = FileStore(tmp_path / "work.npz")
    assert store.load() is None
    store.keep({"a": np.zeros(3)})
    assert [path.name for path in tmp_path.iterdir()] == ["work.npz"]
    (tmp_path / "work.npz.partial").write_bytes(b"half of it")
    store.remove()
    assert list(tmp_path.iterdir()) == []


def test_writing_takes_a_small_share_of_the_time(tmp_path, monkeypatch):
    from isobreach.io import store as module

    clock = iter([0.0, 10.0, 12.0, 20.0, 51.0, 53.0])  # made; writing takes 2; asked three times
    monkeypatch.setattr(module.time, "monotonic", lambda: next(clock))
    store = FileStore(tmp_path / "work.npz", seconds=5)
    store.keep({"a": np.zeros(3)})
    assert [store.due(), store.due(), store.due()] == [False, False, True]
