# SPDX-License-Identifier: BSD-3-Clause
"""``isobreach prepare``: the table that audit and perturb would use, written down with the steps that made it."""

from contextlib import nullcontext
from pathlib import Path

from isobreach._phrases import count
from isobreach.cli.console import Console
from isobreach.cli.tables import Data, prepared_alike, read_steps, recipe_of, steps_path
from isobreach.errors import InputError
from isobreach.io import PRIVATE, NumericTable, check_written, pending_json, write_table


def run_prepare(console: Console, data: Data, out: Path, steps: Path | None, force: bool) -> None:
    """Prepare, write, speak."""
    check_written(out)
    with console.bars():
        table = data.read(console) if steps is None else _alike(console, data, steps)
        recipe = recipe_of(table)
        beside = None if steps is not None else steps_path(out)
        recorded = nullcontext() if beside is None else pending_json(beside, recipe.to_json(), force=force)
        with console.work("writing"), recorded:
            write_table(out, table.values, table.columns, ids=table.ids, mode=PRIVATE, force=force)
    rows, width = table.values.shape
    console.say(f"Prepared {rows:,} rows: {count(len(recipe.columns), 'attribute')} in {count(width, 'column')}: {out}")
    if beside is not None:
        console.say(f"Steps, to prepare other records alike: {beside}")
    console.result(
        {
            "schema": "isobreach/prepare/1",
            "rows": rows,
            "columns": list(table.columns),
            "attributes": list(recipe.columns),
            "left_out": list(table.left_out),
            "preparation": [one.sentence for one in recipe.steps],
            "prepared": str(out),
            "steps": None if beside is None else str(beside),
        }
    )


def _alike(console: Console, data: Data, steps: Path) -> NumericTable:
    """Records prepared like another table."""
    asked = data.preparation
    if any((data.columns, data.leave_out, asked["missing"], asked["codes"], asked["standardise"])):
        rule = "must be the only option that says how to prepare"
        raise InputError("--steps", rule, "others as well", "The file says it all: leave them out.")
    if data.source is None:
        raise InputError("DATA", "must be a table of its own with --steps", f"the bundled data set {data.given}")
    return prepared_alike(read_steps(steps), data.source, "known", console, data.id_column)
