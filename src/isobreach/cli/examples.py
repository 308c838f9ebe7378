# SPDX-License-Identifier: BSD-3-Clause
"""Commands that bring their own table: the demonstration, and the paper's experiments."""

from pathlib import Path

import click

from isobreach.cli import options
from isobreach.cli.command_line import Command, typed_again
from isobreach.cli.console import Console
from isobreach.cli.interruption import Commands


@click.group(cls=Commands, invoke_without_command=True)
@click.option(
    "--known", "insiders", type=int, default=12, show_default=True, help="Most insiders who pool their records."
)
@options.epsilon(0.15)
@click.option("--out", type=options.path, help="New folder for the report.  [default: isobreach-demo, or a free one]")
@options.force
@options.common
@click.pass_context
def demo(
    ctx: click.Context,
    insiders: int,
    epsilon: float,
    out: Path | None,
    force: bool,
    seed: int | None,
    json_only: bool,
    quiet: bool,
) -> None:
    """Audit the bundled Letter Recognition table behind a rotation.

    `isobreach demo vectors` opens a store of sentence vectors instead.
    """
    if ctx.invoked_subcommand is not None:
        return
    from isobreach.cli.demo import run_demo

    console, seed = Console(json_only=json_only, quiet=quiet), 0 if seed is None else seed
    run_demo(console, insiders, epsilon, seed, out, force, typed_again())


@demo.command()
@click.option("--package", default="turboquant-vectors", show_default=True, help="Package that protects the vectors.")
@click.option("--known", type=int, default=3, show_default=True, help="Sentences that are known to be in the store.")
@options.common
def vectors(package: str, known: int, seed: int | None, json_only: bool, quiet: bool) -> None:
    """Protect 3,000 real sentence vectors with a package, open them with a few known sentences, and read them.

    The sentences are those of Python's own documentation, the vectors are made here. Needs isobreach[vectors].
    """
    from isobreach.cli.demo_vectors import run_vectors

    run_vectors(Console(json_only=json_only, quiet=quiet), package, known, 0 if seed is None else seed)


@click.command(cls=Command)
@click.argument(
    "figures", nargs=-1, metavar="[all | gaussian-known | letter-known | letter-epsilon | size | kaplan]..."
)
@click.option("--out", type=options.path, required=True, help="Folder to write, or of a run to resume.")
@click.option("--quick", is_flag=True, help="Smaller tables, few points and few trials: seconds instead of minutes.")
@click.option("--trials", type=int, help="Trials at each point.  [default: the paper's, 10, and 100 for kaplan]")
@options.common
def reproduce(
    figures: tuple[str, ...],
    out: Path,
    quick: bool,
    trials: int | None,
    seed: int | None,
    json_only: bool,
    quiet: bool,
) -> None:
    """Run the experiments of Giannella, Liu and Kargupta again.

    These are Figures 2 to 6, with our curves beside theirs; without a name, all of them. OUT then holds report.html,
    the same page as reproduction.md, figures, and *.csv with run times apart. Interrupted runs resume from the trials
    that are kept there, to the same files. The seed is 0 unless another is given.
    """
    from isobreach.cli.reproduce import ReproduceJob

    job = ReproduceJob(figures, out, quick, trials, 0 if seed is None else seed)
    job.run(Console(json_only=json_only, quiet=quiet))
