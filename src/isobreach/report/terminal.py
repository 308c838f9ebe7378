# SPDX-License-Identifier: BSD-3-Clause
"""A document in the terminal: its verdict, the blocks of its brief sections, its findings, a line or a table each."""

from collections.abc import Iterator
from dataclasses import dataclass

from isobreach._text import visible
from isobreach.document import Block, Decision, Document, Facts, Matrix, Table

_MOST = 40  # rows of a table


@dataclass(frozen=True)
class Grid:
    """Cells under heads, all text."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def spoken(document: Document) -> Iterator[str | Grid]:
    """Lines and tables in the order in which they are printed.

    Parameters
    ----------
    document
        What there is to say.
    """
    yield document.verdict
    blocks = [block for section in document.sections if section.brief for block in section.blocks]
    grids = [grid for block in blocks for grid in _grids(block)]
    if not any(isinstance(one, Grid) for one in grids):
        yield ""
    yield from grids
    yield from (f"- {line}" for line in document.findings)


def _grids(block: Block) -> Iterator[str | Grid]:
    match block:
        case Table():
            yield Grid(tuple(one.title for one in block.heads), block.rows[:_MOST])
            if len(block.rows) > _MOST:
                yield f"... and {len(block.rows) - _MOST:,} more: use --json for all."
        case Facts(_, facts, False):
            yield Grid(("", ""), tuple((one.name, one.value) for one in facts))
        case Matrix():
            rows = tuple((row.title, *(cell.text for cell in row.cells)) for row in block.rows)
            yield Grid((f"{block.corner}; {block.across}:", *block.columns), rows)
            yield from [block.mark] if block.mark else []
        case Decision():
            yield ""
            if block.gate:
                yield "; ".join(f"{one.name}: {one.value}" for one in block.gate)
            yield from (f"{place}. {title} {said}" for place, (title, said) in enumerate(block.actions, 1))


def document_text(document: Document) -> str:
    """Return a document as plain text, as ``spoken`` says it, tables with their columns in line.

    Parameters
    ----------
    document
        What there is to say.
    """
    return "\n".join(
        visible(line) for one in spoken(document) for line in ([one] if isinstance(one, str) else _lines(one))
    )


def _lines(grid: Grid) -> Iterator[str]:
    cells = [row for row in (grid.head, *grid.rows) if any(row)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
