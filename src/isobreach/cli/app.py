# SPDX-License-Identifier: BSD-3-Clause
"""The commands. Each reads, calls the library, writes and speaks; heavy imports happen inside."""

import os
import warnings
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click

from isobreach._version import __version__
from isobreach.cli import options
from isobreach.cli.attack import attack
from isobreach.cli.command_line import section, typed_again
from isobreach.cli.console import Console
from isobreach.cli.examples import demo, reproduce
from isobreach.cli.interruption import Commands
from isobreach.errors import InputError, NothingLinkedWarning


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="isobreach")
def app() -> None:
    """Who can undo a secret distance-preserving transform, knowing how little, and how surely?

    isobreach plays the attacker against a release you are about to publish, or are entitled to audit.
    Start with: isobreach demo
    """


@app.command(cls=options.WithScheme)
@options.owners_table(
    "Columns to protect, by commas.", "Column that names the records. It stays in the key and is not released."
)
@click.option("--out", type=options.path, required=True, help="Released table to write: .csv, .parquet, .npy, ...")
@click.option("--key", "key_path", type=options.path, required=True, help="Key file to write, yours alone (mode 0600).")
@options.force
@options.common
def perturb(
    table: Any,
    scheme: str,
    out: Path,
    key_path: Path,
    force: bool,
    seed: int | None,
    json_only: bool,
    quiet: bool,
    **protection: Any,
) -> None:
    """Protect DATA by a secret motion or another scheme.

    DATA is a file, a folder of Parquet parts, a database's URL, - (the standard input) or a bundled data set (letter).
    """
    from dataclasses import asdict, replace

    from isobreach import schemes
    from isobreach.cli.tables import as_precise, recipe_of, steps_path
    from isobreach.io import (
        check_written,
        default_columns,
        holds_vectors,
        numbers_hash,
        pending_json,
        pending_key,
        vector_label,
        write_table,
    )

    console = Console(json_only=json_only, quiet=quiet)
    if os.path.realpath(key_path) == os.path.realpath(out):
        raise InputError("--key", "must be another file than --out", str(key_path))
    check_written(out)
    chosen = options.scheme_of(scheme, **protection)
    with console.bars():
        table = table.read(console)
        with console.work("rotating"):
            release = schemes.perturb(table.values, chosen, seed)
        label = vector_label(table.columns)
        if label is not None and holds_vectors(out):  # a store's vectors stay what they are: one column, as precise
            release = replace(release, data=as_precise(release.data, table.values.dtype))
            label = label if chosen.in_place else "vector"
        rows, released_columns = release.data.shape
        names = table.columns if chosen.in_place else default_columns(released_columns)
        key = replace(release.key, columns=table.columns, ids=table.ids)
        recipe = replace(recipe_of(table), release=numbers_hash(release.data))
        steps = steps_path(key_path) if recipe.steps else None
        recorded = nullcontext() if steps is None else pending_json(steps, recipe.to_json(), force=force)
        with console.work("writing"), pending_key(key_path, key, force=force), recorded:
            write_table(out, release.data, names, vectors=label, force=force)
    if seed is not None:
        console.note("A seed makes the key guessable: use it for experiments only.")
    if os.path.realpath(key_path.parent) == os.path.realpath(out.parent):
        console.note(f"The key lies beside the release: move {key_path} before you publish that folder.")
    shape = f"{released_columns} columns"
    if label is not None and holds_vectors(out):
        shape = f"one column of vectors, {label!r}, of {released_columns} numbers ({release.data.dtype})"
    console.say(f"Released {rows:,} rows x {shape}: {out}")
    console.say(f"Key, for you alone: {key_path}")
    if steps is not None:
        console.say(f"Steps of the preparation, for you alone: {steps} (known records: attack --steps {steps})")
    console.result(
        {
            "schema": "isobreach/perturb/1",
            "scheme": scheme,
            "parameters": asdict(chosen),
            "keeps": chosen.keeps,
            "rows": rows,
            "columns": len(table.columns),
            "released_columns": released_columns,
            "left_out": list(table.left_out),
            "released": str(out),
            "key": str(key_path),
            "steps": None if steps is None else str(steps),
            "preparation": [one.sentence for one in recipe.steps],
        }
    )


@app.command()
@options.owners_table("Columns to keep, by commas.")
@options.steps
@click.option("--out", type=options.path, required=True, help="Prepared table to write, yours alone (mode 0600).")
@options.force
@options.common
def prepare(
    table: Any,
    out: Path,
    steps: Path | None,
    force: bool,
    seed: int | None,
    json_only: bool,
    quiet: bool,
) -> None:
    """Turn DATA into numbers and record every step.

    The steps are written beside OUT as NAME.steps.json. With --steps, repeat the steps of another table: known records
    must be prepared like the release. audit and perturb prepare their table themselves; use this command to look at
    what they would protect. The result is exact: --seed is not needed.
    """
    from isobreach.cli.prepare import run_prepare

    run_prepare(Console(json_only=json_only, quiet=quiet), table, out, steps, force)


@app.command()
@options.attacker
@options.common
def link(seed: int | None, json_only: bool, quiet: bool, **held: Any) -> None:
    """Find the released rows of known records. Exact: --seed is accepted and not needed.

    Exit code 0 also where nothing is linked, which is an answer: --json has the number, linked.
    """
    from isobreach import _interface
    from isobreach._phrases import count, left_out
    from isobreach.attacks import hints
    from isobreach.cli.tables import Holdings, links_table
    from isobreach.engine import as_engine
    from isobreach.linking import dictionary_json, link_records, link_sentences, motion_json, no_link, partial_json

    console, normalise = Console(json_only=json_only, quiet=quiet), held.pop("normalise")
    chosen = {name: held.pop(name) for name in ("rule", "tolerance", "motion")}
    with console.bars(), warnings.catch_warnings():
        warnings.simplefilter("ignore", NothingLinkedWarning)  # a sentence below says so
        holdings = Holdings(held, normalise=normalise)
        tables = holdings.read(console)
        known, released = tables.known, tables.released
        assert known is not None
        linkage = _interface.link(
            known,
            released,
            **chosen,
            noise=holdings.noise,
            dictionary=tables.dictionary,
            sample=tables.sample,
            progress=console.progress,
        )
    counts, rows = linkage.counts(), released.values.shape[0]
    links_table(console, linkage)
    total = count(len(linkage.rows), "known record")
    console.say(f"{counts['linked']} of {total} linked, {counts['ambiguous']} ambiguous, {counts['absent']} absent.")
    nothing = no_link(linkage, rows, normalised=normalise)
    said = [] if nothing is None else [nothing]
    said += link_sentences(linkage, released.values.shape[1], known.values.shape[1])
    said += left_out(linkage.left_out)
    said += () if normalise else hints(linkage, known.values, as_engine(released.values))
    console.say(said)
    console.say(f"Precision of the release: {linkage.precision.reason}.")
    console.result(
        {
            "schema": "isobreach/link/1",
            "rule": linkage.rule,
            **motion_json(linkage),
            **counts,
            **partial_json(linkage),
            "search_complete": linkage.complete,
            "precision": linkage.precision.reason,
            "normalised": normalise,
            "findings": said,
            "left_out": list(linkage.left_out),
            "links": link_records(linkage),
            "dictionary": dictionary_json(linkage),
        }
    )


for command in (attack, demo, reproduce):
    app.add_command(command)


@app.command(cls=options.WithScheme)
@options.owners_table("Columns to audit, by commas.")
@section(
    "Attackers",
    click.option("--coalitions", default="1-8", show_default=True, help="Numbers of insiders: 1-8 or 1,2,4-6."),
    click.option("--trials", type=int, default=200, show_default=True, help="Random groups of insiders of each size."),
    click.option(
        "--samples",
        default="200,1000",
        show_default=True,
        help="Sizes of the public samples that attackers may have, by commas; 0 for none. A sample is held out of the "
        "table, at most half of it; if all are larger, a third.",
    ),
    click.option(
        "--splits",
        type=int,
        default=8,
        show_default=True,
        help="Splits of the table on which attackers are played. More splits give narrower intervals.",
    ),
    click.option(
        "--attacks",
        multiple=True,
        callback=options.split_names,
        help="Attacks to play beside that of the insiders, by commas; known-input for none.  "
        "[default: all that need no knowledge]",
    ),
    click.option("--ranges", is_flag=True, help="Attackers also know the ranges of the attributes."),
    click.option("--rows-known", is_flag=True, help="Insiders know their own rows: the strongest assumption."),
)
@section(
    "What counts as a breach",
    options.epsilon(0.1),
    click.option(
        "--level",
        type=float,
        default=0.5,
        show_default=True,
        help="A record counts as breached at or above this probability.",
    ),
    click.option(
        "--tolerance",
        help="Error within which an attribute is learned: one number, or one for each column by commas.",
    ),
)
@section(
    "The decision",
    click.option(
        "--limit",
        type=options.share,
        help="Largest risk that is accepted, 0.05 or 5%. Above it the gate is closed (exit code 1).",
    ),
    click.option(
        "--criterion",
        type=options.NamedChoice(["share", "worst-record"]),
        help="What the limit is about. share: the share of other people's records that an attacker breaches. "
        "worst-record: the probability with which the most exposed record is breached.  [default: share]",
    ),
    click.option("--fail-above", type=options.share, help="The same as --limit P --criterion worst-record."),
    click.option("--fail-size", type=int, help="Largest group that the gate is about.  [default: the largest]"),
    click.option(
        "--noise-levels",
        help="Levels of noise to try as a remedy, relative to the table's spread, by commas: 0.1,0.2,0.5.",
    ),
    click.option(
        "--target",
        type=options.share,
        default=0.05,
        show_default=True,
        help="The limit that remedies have to meet if there is no --limit.",
    ),
    click.option("--both", is_flag=True, help="Also audit the table standardised, and show both verdicts."),
)
@click.option(
    "--out",
    type=options.path,
    help="New folder for report.html, result.json, per_record.parquet and per_attribute.parquet.",
)
@options.force
@options.common
def audit(
    table: Any,
    scheme: str,
    epsilon: float,
    coalitions: str,
    trials: int,
    level: float,
    tolerance: str | None,
    noise_levels: str | None,
    target: float,
    attacks: tuple[str, ...] | None,
    samples: str,
    splits: int,
    ranges: bool,
    out: Path | None,
    rows_known: bool,
    limit: float | None,
    criterion: str | None,
    fail_above: float | None,
    fail_size: int | None,
    both: bool,
    force: bool,
    seed: int | None,
    json_only: bool,
    quiet: bool,
    **protection: Any,
) -> None:
    """Find out who could undo a release of DATA, before you publish.

    Random groups of insiders of every size attack a trial release, greedy searches look for the worst group, and every
    attack is played with public records too. Interrupted audits resume: with --out, finished work is kept beside the
    folder, and the same command continues it to the same result.
    """
    from isobreach.cli.audit import AuditJob, parse_numbers, parse_samples, parse_sizes
    from isobreach.cli.gate import GateOptions

    tolerances = parse_numbers("--tolerance", tolerance)
    sizes = parse_sizes(coalitions)
    gate = GateOptions.asked(limit, criterion, fail_above, fail_size, sizes)
    asked = {
        "scheme": options.scheme_of(scheme, **protection),
        "epsilon": epsilon,
        "coalition_sizes": sizes,
        "trials": trials,
        "level": level,
        "tolerance": tolerances[0] if len(tolerances) == 1 else tolerances or None,
        "noise_levels": parse_numbers("--noise-levels", noise_levels),
        "target": target,
        "limit": None if gate.criterion is None else gate.criterion.limit,
        "criterion": (criterion or "share") if gate.criterion is None else gate.criterion.kind,
        "fail_size": fail_size,
        "attacks": attacks,
        "rows_known": rows_known,
        "samples": parse_samples(samples),
        "splits": splits,
        "ranges": ranges,
    }
    if both and table.preparation["standardise"]:
        raise InputError("--both", "must be left out with --standardise: it shows the table as it is beside", "both")
    job = AuditJob(table, asked, gate, out, force, seed, typed_again(), both=both, comparing=typed_again(compare))
    job.run(Console(json_only=json_only, quiet=quiet))


@app.command()
@options.owners_table("Columns to protect, by commas.")
@section(
    "The comparison",
    click.option(
        "--schemes", multiple=True, callback=options.split_names, help="Schemes to compare, by commas.  [default: all]"
    ),
    click.option(
        "--attacks", multiple=True, callback=options.split_names, help="Attacks to play, by commas.  [default: all]"
    ),
    options.epsilon(0.1),
    click.option("--known", type=int, default=8, show_default=True, help="Records of the release that attackers know."),
    click.option(
        "--sample",
        type=int,
        default=500,
        show_default=True,
        help="Public records that attackers have: held out of the table, at most half of it.",
    ),
    click.option(
        "--trials", type=int, default=20, show_default=True, help="Parts of the table to draw, protect and attack."
    ),
    click.option(
        "--label", help="Column that is not protected: a classifier predicts it before and after, to measure utility."
    ),
    click.option("--quick", is_flag=True, help="Small parts of the table and two trials: about a minute."),
)
@click.option(
    "--out", type=options.path, help="New folder for report.html, result.json, cells.csv, schemes.csv and times.csv."
)
@options.force
@options.common
def compare(
    table: Any,
    schemes: tuple[str, ...] | None,
    attacks: tuple[str, ...] | None,
    epsilon: float,
    known: int,
    sample: int,
    trials: int,
    label: str | None,
    quick: bool,
    out: Path | None,
    force: bool,
    seed: int | None,
    json_only: bool,
    quiet: bool,
) -> None:
    """Play every attack against every scheme on DATA.

    The result says who breaches what, and what use of the table each scheme preserves. Interrupted comparisons resume:
    with --out, finished trials are kept beside the folder, and the same command continues to the same result. The seed
    is 0 unless another is given.
    """
    from isobreach.cli.compare import CompareJob

    asked = {
        "schemes": schemes,
        "attacks": attacks,
        "epsilon": epsilon,
        "known": known,
        "sample": sample,
        "trials": trials,
        "quick": quick,
    }
    job = CompareJob(table, asked, label, out, force, 0 if seed is None else seed, typed_again())
    job.run(Console(json_only=json_only, quiet=quiet))
