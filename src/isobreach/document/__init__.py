# SPDX-License-Identifier: BSD-3-Clause
"""What there is to say of a result, as data: sentences, tables and charts, drawn elsewhere.

Whoever computes a result describes it once, as a ``Document``. Terminal, page and JSON are made from the same document,
so that they cannot contradict each other. Text is plain: whoever draws it escapes it.
"""

from isobreach.document.drawings import (
    Bar,
    Bars,
    Chart,
    Drawn,
    Line,
    Matrix,
    MatrixCell,
    MatrixRow,
    Panel,
    Picture,
    Plane,
    Spot,
)
from isobreach.document.page import (
    Block,
    Columns,
    Decision,
    Details,
    Document,
    Section,
    SignOff,
    Status,
    in_one_part,
    joined,
)
from isobreach.document.texts import Bullets, Column, Fact, Facts, Table, Text

__all__ = [
    "Bar",
    "Bars",
    "Block",
    "Bullets",
    "Chart",
    "Column",
    "Columns",
    "Decision",
    "Details",
    "Document",
    "Drawn",
    "Fact",
    "Facts",
    "Line",
    "Matrix",
    "MatrixCell",
    "MatrixRow",
    "Panel",
    "Picture",
    "Plane",
    "Section",
    "SignOff",
    "Spot",
    "Status",
    "Table",
    "Text",
    "in_one_part",
    "joined",
]
