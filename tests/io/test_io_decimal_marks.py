# SPDX-License-Identifier: BSD-3-Clause
"""Commas in numbers: read as what they are, or refused; never as another number."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isobreach.errors import InputError
from isobreach.io import read_table

UNCLEAR = r"known must hold numbers in column '{}' whose decimal mark is clear\. Got {}.*, the first in row {} \("


def read(folder, text):
    (folder / "known.csv").write_text(text, encoding="utf-8")
    return read_table(folder / "known.csv", name="known").values


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("a;b\n0,5;2\n1,000;3\n", [[0.5, 2], [1, 3]]),  # one number settles the column
        ("a;b\n1,000;0,5\n2,000;1,5\n", [[1, 0.5], [2, 1.5]]),  # or the file
        ("a;b\n1234,567;2\n", [[1234.567, 2]]),
        ("a\tb\n1,5\t2\n,25\t3e2\n", [[1.5, 2], [0.25, 300]]),
        ("a;b\n1,000e3;-2,5E-1\n", [[1000, -0.25]]),
        ("a;b\n1.000;2.000\n", [[1, 2]]),  # a point is a decimal mark
        ("a;b\n1.5;2,5\n2.000;0,5\n", [[1.5, 2.5], [2, 0.5]]),
    ],
)
def test_decimal_marks_that_are_clear_are_read(tmp_path, text, values):
    np.testing.assert_array_equal(read(tmp_path, text), values)


@pytest.mark.parametrize(
    ("text", "column", "got", "row"),
    [
        ("1,000;2,000\n", "c1", "commas that may separate thousands", 1),
        ("a;b\n5;2\n1,000;3\n", "a", "commas that may separate thousands", 2),
        ("a;b\n-999,999;0.5\n", "a", "commas that may separate thousands", 1),
        ("a\tb\n1,000\t2\n", "a", "commas that may separate thousands", 1),
        ("a;b\n1,000,000;0,5\n", "a", "thousands separators", 1),
        ("a;b\n1,000.5;2\n", "a", "thousands separators", 1),
        ("a;b\n1.000,5;2\n", "a", "thousands separators", 1),
        ("a;b\n1.000.000;2\n", "a", "thousands separators", 1),
        ("a;b\n7;0,5\n1.000;2,5\n", "a", "points that may separate thousands beside decimal commas", 2),
        ('a,b\n"1,000",2\n', "a", "commas that may separate thousands", 1),
        ('a,b\n"1,5",2\n', "a", "commas that may separate thousands", 1),
        ('"1,000","2,000"\n', "c1", "commas that may separate thousands", 1),  # no header: its cells read like numbers
    ],
)
def test_a_number_that_could_be_another_is_refused_with_its_column(tmp_path, text, column, got, row):
    with pytest.raises(InputError, match=UNCLEAR.format(column, got, row - 1)):
        read(tmp_path, text)


@pytest.mark.parametrize(
    "cells", [("01.02.2003", "03.04.2005"), ("10.0.0.1", "10.0.0.2"), ("1,2,3", "4,5"), ("a", "1,5")]
)
def test_dates_addresses_and_lists_stay_text(tmp_path, cells):
    (tmp_path / "t.csv").write_text(f"a;b\n{cells[0]};1\n{cells[1]};2\nx;3\n")
    np.testing.assert_array_equal(read_table(tmp_path / "t.csv", name="released").values, [[1], [2], [3]])


AMOUNTS = st.lists(
    st.tuples(*2 * [st.integers(-(10**9), 10**9)], st.integers(0, 3)).map(
        lambda drawn: (drawn[0] / 10 ** drawn[2], drawn[1], drawn[2])
    ),
    min_size=1,
    max_size=5,
)
STYLES = {
    "plain point": lambda value, places: f"{value:.{places}f}",
    "plain comma": lambda value, places: f"{value:.{places}f}".replace(".", ","),
    "thousands by commas": lambda value, places: f"{value:,.{places}f}",
}


@pytest.mark.parametrize("separator", [";", "\t"])
@pytest.mark.parametrize("style", STYLES)
@given(rows=AMOUNTS)
def test_a_file_in_one_style_is_read_right_or_refused(tmp_path_factory, separator, style, rows):
    """A style with points between thousands and nothing else is not among them: a point is a decimal mark."""
    folder = tmp_path_factory.mktemp("styles")
    cells = [(STYLES[style](first, places), STYLES[style](float(second), 0)) for first, second, places in rows]
    text = "\n".join(["a" + separator + "b", *map(separator.join, cells)]) + "\n"
    try:
        values = read(folder, text)
    except InputError:
        assert style != "plain point"
        return
    np.testing.assert_allclose(values, [[float(f"{a:.{places}f}"), b] for a, b, places in rows], rtol=0, atol=0)
