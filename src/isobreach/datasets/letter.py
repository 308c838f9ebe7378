# SPDX-License-Identifier: BSD-3-Clause
"""Letter Recognition: the real table of the paper, 16 integers from 0 to 15 for each image of a letter.

The paper removes records that repeat an earlier one, which leaves 18,668 of 20,000. The file holds all of
them, because real tables have duplicates and linking must cope.
"""

import io
import lzma
from importlib.resources import files

import numpy as np

from isobreach.datasets.dataset import Dataset

_COLUMNS = (
    *("x-box", "y-box", "width", "high", "onpix", "x-bar", "y-bar", "x2bar"),
    *("y2bar", "xybar", "x2ybr", "xy2br", "x-ege", "xegvy", "y-ege", "yegvx"),
)


def load_letter(duplicates: bool = False) -> Dataset:
    """Return the 18,668 distinct records in the order of the file, or all 20,000.

    Parameters
    ----------
    duplicates
        Whether to keep records that repeat an earlier one.

    >>> load_letter().values.shape
    (18668, 16)
    """
    packed = files("isobreach.datasets").joinpath("letter.npy.xz").read_bytes()
    values = np.load(io.BytesIO(lzma.decompress(packed)), allow_pickle=False).astype(np.int64)
    if not duplicates:
        _, first = np.unique(values, axis=0, return_index=True)
        values = values[np.sort(first)]
    return Dataset(
        name="letter",
        values=values,
        columns=_COLUMNS,
        description="Statistical moments and edge counts of distorted images of capital letters in 20 fonts.",
        citation="D. Slate (1991). Letter Recognition. UCI Machine Learning Repository. "
        "https://doi.org/10.24432/C5ZP40 (CC BY 4.0; class label removed"
        + ("" if duplicates else ", repeated records removed")
        + ")",
    )
