# SPDX-License-Identifier: BSD-3-Clause
"""Options that several commands share."""

from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

import click

from isobreach.errors import InputError

F = TypeVar("F", bound=Callable[..., Any])


def held_by(job: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    """Those of a command's options that a job, a dataclass, has a field for."""
    own = {field.name for field in fields(job)}
    return {name: value for name, value in options.items() if name in own}


def split_names(context: click.Context, parameter: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...] | None:
    """Names given by commas or by repeating the option."""
    names = [name.strip() for part in value for name in part.split(",")]
    return tuple(name for name in names if name) or None


def _all(*decorators: Callable[[F], F]) -> Callable[[F], F]:
    def decorate(function: F) -> F:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


class _NoiseLevel(click.ParamType):  # type: ignore[type-arg,unused-ignore]  # generic from click 8.3 on
    name = "SIGMA|estimate"

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> Any:
        if value == "estimate":
            return value
        try:
            return float(value)
        except ValueError:
            self.fail(f"{value!r} is neither a number nor 'estimate'.", parameter, context)


path = click.Path(path_type=Path)

common = _all(
    click.option("--seed", type=int, default=None, help="Whole number that makes the run repeatable."),
    click.option("--json", "json_only", is_flag=True, help="Print the result as JSON on stdout, nothing else."),
    click.option("--quiet", is_flag=True, help="Print nothing on stderr but errors."),
)

_held = _all(
    click.option("--released", type=path, required=True, help="Released table (.csv, .parquet, .npy)."),
    click.option(
        "--columns",
        multiple=True,
        callback=split_names,
        help="Numeric columns of KNOWN (and of what comes with it), by commas.",
    ),
    click.option("--released-columns", multiple=True, callback=split_names, help="Numeric columns of RELEASED."),
    click.option("--id-column", help="Column of KNOWN that names its records."),
    click.option("--released-id-column", help="Column of RELEASED that names its rows."),
    click.option(
        "--rule",
        type=click.Choice(["backbone", "uniquely-valid"]),
        default="backbone",
        show_default=True,
        help="Which links count: all certain ones, or the paper's.",
    ),
    click.option(
        "--tolerance",
        type=float,
        default=None,
        help="Largest error of a released coordinate; by default read off the release's own precision.",
    ),
    click.option(
        "--motion",
        type=click.Choice(["orthogonal", "rigid", "similarity", "auto"]),
        default="auto",
        show_default=True,
        help="What the release keeps: norms and distances, distances, or their ratios. auto finds out and says why; it "
        "is the default because perturb makes rigid releases unless told otherwise.",
    ),
    click.option(
        "--noise",
        type=_NoiseLevel(),
        metavar="SIGMA|estimate",
        help="Standard deviation of random errors of released coordinates, or find it out.",
    ),
    click.option(
        "--dictionary",
        type=path,
        help="Candidate records, of which any may be in the release: columns and id column as in KNOWN.",
    ),
    click.option(
        "--normalise",
        is_flag=True,
        help="Scale known and dictionary records to length one first, as vector stores do.",
    ),
)

_KNOWN = "Records the attacker knows (.csv, .parquet, .npy)."

attacker = _all(click.option("--known", type=path, required=True, help=_KNOWN), _held)

METHODS = ("known-input", "lattice", "kaplan")

# Of attack: options that not all of its methods have, by the names of their parameters.
_OWN = {
    "known-input": ("epsilon", "estimator", "rule", "tolerance", "motion", "noise", "dictionary", "normalise"),
    "lattice": ("sample", "bounds", "budget", "noise"),
    "kaplan": ("rule", "tolerance", "motion", "bounds"),
}

any_attacker = _all(
    click.option(
        "--method",
        type=click.Choice(METHODS),
        default=METHODS[0],
        show_default=True,
        help="known-input links known records. lattice needs none, but a table of whole numbers or decimals. kaplan "
        "links them too and descends on distances, without a probability: a baseline.",
    ),
    click.option("--known", type=path, help=f"{_KNOWN}  [required but by lattice]"),
    click.option("--sample", type=path, help="lattice: records of the same population, in the release or not."),
    click.option(
        "--bounds",
        metavar="FILE|LEAST:GREATEST",
        help="lattice, kaplan: ranges of the attributes. One for all (0:15, 0: or :100), or a .csv or .parquet file "
        "with a line for each: columns attribute, least, greatest.",
    ),
    click.option("--budget", type=float, default=60.0, show_default=True, help="lattice: seconds for the search."),
    _held,
)


def check_method(method: str) -> None:
    """Refuse options of another method than the present command's; all but lattice need known records."""
    context = click.get_current_context()
    given = {
        parameter.name: parameter
        for parameter in context.command.params
        if parameter.name is not None
        and context.get_parameter_source(parameter.name) not in (None, click.core.ParameterSource.DEFAULT)
    }
    for other in (name for name in METHODS if name != method):
        for name in _OWN[other]:
            if name in given and name not in _OWN[method]:
                value = "the flag" if context.params[name] is True else context.params[name]
                rule = f"must be left out with --method {method}"
                raise InputError(f"--{name}", rule, value, f"It belongs to --method {other}.")
    if method != "lattice" and "known" not in given:
        known = next(parameter for parameter in context.command.params if parameter.name == "known")
        hint = "To attack without known records, use --method lattice."
        raise click.MissingParameter(hint, ctx=context, param=known)


# The registry's names, which a test compares: importing it takes most of a second, and --help must not.
SCHEMES = ("orthogonal", "rigid", "noisy", "ball", "orthogonal-noise")

scheme = _all(
    click.option(
        "--scheme",
        type=click.Choice(SCHEMES),
        default="rigid",
        show_default=True,
        help="Rotate or reflect; rigid also translates, the last three add noise.",
    ),
    click.option("--width", type=int, help="Columns of the release, if more than of DATA: orthogonal, rigid."),
    click.option("--noise", type=float, help="Relative size of the noise: noisy, orthogonal-noise.  [default: 0.1]"),
    click.option("--scale", type=float, help="Factor of all distances: ball.  [default: 1]"),
    click.option("--beta", type=float, help="Distances that differ by more keep their order: ball."),
)

force = click.option("--force", is_flag=True, help="Replace an existing output.")


def scheme_of(name: str, **parameters: Any) -> Any:
    """The scheme with those parameters that were given."""
    from isobreach.schemes import scheme_by_name

    return scheme_by_name(name, **{key: value for key, value in parameters.items() if value is not None})
