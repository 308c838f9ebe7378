# SPDX-License-Identifier: BSD-3-Clause
"""``isobreach attack METHOD``: a subcommand for every attack there is, with that attack's options only.

Options come from the attack itself: a table for each kind of knowledge that it can use, and its settings. Without a
METHOD it is the known-input attack.
"""

import secrets
from collections.abc import Mapping
from dataclasses import fields, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from isobreach._registry import ATTACKS
from isobreach.cli import options
from isobreach.cli.command_line import Command, section
from isobreach.cli.console import Console
from isobreach.errors import InputError

if TYPE_CHECKING:
    from isobreach.io import Source

_DEFAULT = "known-input"
_ABOUT = """Estimate everyone else's record, or read it off the release.

Without a METHOD, the known-input attack: `isobreach attack --known ... --released ...`. Each METHOD has options of its
own: `isobreach attack METHOD --help`. A breach is an estimate within EPSILON times the length (Euclidean norm) of the
true record. Columns with large values carry most of that length: standardise the table before you perturb it if all
columns matter alike."""


class Methods(click.Group):
    """The attacks as subcommands; ``--method NAME`` is another way to name one."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names of all attacks, known without importing them."""
        return list(ATTACKS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command:
        """Return the command of an attack, which is imported now."""
        return _command(ATTACKS.named("METHOD", name))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the method first, whichever way it was given."""
        if args in (["--help"], ["-h"]):
            return super().parse_args(ctx, args)
        method, args = _taken(args)
        if method is None and not (args and not args[0].startswith("-")):
            method = _DEFAULT
        return super().parse_args(ctx, args if method is None else [method, *args])

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the attacks by what their modules say of themselves: importing them takes most of a second."""
        with formatter.section("Methods"):
            formatter.write_dl([(name, f"{ATTACKS.summary(name)}.") for name in ATTACKS])


def _taken(args: list[str]) -> tuple[str | None, list[str]]:
    """The value of ``--method``, and the other arguments."""
    for place, word in enumerate(args):
        if word.startswith("--method="):
            return word.partition("=")[2], args[:place] + args[place + 1 :]
        if word == "--method":
            if place + 1 == len(args):
                raise click.BadOptionUsage("--method", "Option '--method' requires an argument.")
            return args[place + 1], args[:place] + args[place + 2 :]
    return None, args


class _Method(Command):
    """A subcommand; an option that belongs to other attacks is said to."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse, and name the attacks that have an option which this one does not have."""
        try:
            return super().parse_args(ctx, args)
        except click.MissingParameter as error:
            if error.param is not None and error.param.name == "known":
                own = (ATTACKS[name] for name in ATTACKS if ATTACKS.built_in(name))
                alone = ", ".join(one.name for one in own if one.audited and not one.needs)
                hint = f"To attack without known records: isobreach attack {alone}."
                raise click.MissingParameter(hint, ctx=ctx, param=error.param) from None
            raise
        except click.NoSuchOption as error:
            name = error.option_name
            owners = [one for one in ATTACKS if name in _options_of(one)]
            if not owners:
                raise
            rule, hint = f"must be left out with the method {self.name}", f"It belongs to {', '.join(owners)}."
            raise InputError(name, rule, "the option", hint) from None


def _options_of(name: str) -> set[str]:
    """The options of an attack; none of one that does not load."""
    try:
        return {option for parameter in _command(ATTACKS[name]).params for option in parameter.opts}
    except InputError:
        return set()


def _command(attack: Any) -> click.Command:
    """The subcommand of an attack."""

    def callback(**given: Any) -> None:
        _run(attack, given)

    held = [one for one in options.HELD if one in attack.needs | attack.uses]
    makers: dict[str, Any] = {**options.HELD, "known": partial(options.known, partial=attack.takes_partial)}
    records = [options.columns_of_known, options.steps] if {"known", "sample"} & set(held) else []
    parameters = options.parameters(
        section(options.RELEASE, options.released, options.released_columns, options.engine),
        section(options.KNOWLEDGE, *(makers[one](one in attack.needs) for one in held), *records),
        section("The method", *map(options.setting, fields(attack.settings))),
        section(options.FILES, options.reading),
        options.outputs,
        options.force,
        options.common,
    )
    options.check_distinct(parameters, f"the attack {attack.name}")
    return _Method(attack.name, callback=callback, params=parameters, help=type(attack).__doc__)


def _run(attack: Any, given: dict[str, Any]) -> None:
    """Read what the attacker holds, attack, write, speak."""
    from isobreach.attacks import describe, reconstruct
    from isobreach.cli.tables import Holdings
    from isobreach.io import check_free

    out, force, estimates = given.pop("out"), given.pop("force"), given.pop("estimates")
    console = Console(json_only=given.pop("json_only"), quiet=given.pop("quiet"))
    seed = given.pop("seed")
    if estimates and out is None:
        raise InputError("--estimates", "needs a folder to write to", "no --out", "Add --out DIR.")
    settings = {one.name: given.pop(one.name) for one in fields(attack.settings)}
    holdings = Holdings(given)
    drawn = secrets.randbits(32) if seed is None else seed  # recorded, so that the run can be repeated
    if out is not None:
        check_free(out, force=force)
    attack.interruptible()
    with console.bars(**({"delay": 0.0} if attack.keeps_waiting else {})):
        held = holdings.read(console)
        found = reconstruct(
            attack.name, held.released.values, held.knowledge, seed=drawn, progress=console.progress, **settings
        )
        found = replace(found, asked=replace(found.asked, **held.names))
        with console.work("summing up"):
            document = describe(found)
        if out is not None:
            parameters = {"method": attack.name, **settings, **holdings.parameters}
            with console.work("writing"):
                _write(attack, found, document, out, parameters, drawn, holdings.inputs, force, estimates)
    _speak(console, document, out)
    if estimates:
        path = out / "estimates.parquet"
        written = f"Estimated records, which are private: {path}"
        console.say(written if found.claimed else "No estimates were written: nothing is claimed.")
    console.result({**document.data, "out": None if out is None else str(out)})


def _write(
    attack: Any,
    found: Any,
    document: Any,
    out: Path,
    parameters: Mapping[str, Any],
    seed: int,
    inputs: Mapping[str, "Source"],
    force: bool,
    estimates: bool,
) -> None:
    """Write the folder, whole or not at all."""
    from isobreach.errors import MissingExtraError
    from isobreach.io import PRIVATE, atomic_directory, run_record, write_columns, write_file, write_json, write_table
    from isobreach.report import document_page, draw, with_run

    run = run_record("isobreach attack", parameters, seed, inputs, packages=attack.packages)
    with atomic_directory(out, force=force) as folder:
        write_json(folder / "run.json", run, mode=PRIVATE)
        write_json(folder / "result.json", document.data, mode=PRIVATE)
        for name, parts in document.frames.items():
            write_columns(folder / f"{name}.parquet", parts(), mode=PRIVATE)
        for chart in document.charts:
            try:
                drawn = draw(chart)
            except MissingExtraError:
                continue
            for name, content in drawn.items():
                write_file(folder / "figures" / name, content)
        page = with_run(document, run, inputs["released"].title, datetime.now(UTC).date())
        write_file(folder / "report.html", document_page(page).encode(), mode=PRIVATE)
        if estimates and found.claimed:
            labels = attack.labels(found)
            values, rows = found.estimates[:, list(labels)], found.rows
            path = folder / "estimates.parquet"
            write_table(path, values, list(labels.values()), ids=rows, id_column="released row", mode=PRIVATE)


def _speak(console: Console, document: Any, out: Path | None) -> None:
    console.document(document)
    if out is not None:
        console.say(["", f"Report: {out / 'report.html'}"])


attack = Methods("attack", help=_ABOUT, no_args_is_help=False)
