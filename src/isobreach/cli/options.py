# SPDX-License-Identifier: BSD-3-Clause
"""Options that several commands share."""

from collections.abc import Callable
from dataclasses import fields
from functools import cache, wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from isobreach._phrases import did_you_mean
from isobreach.cli import config
from isobreach.cli.command_line import PARAMETERS, Command, section
from isobreach.errors import InputError, IsobreachError

F = TypeVar("F", bound=Callable[..., Any])


def split_names(context: click.Context, parameter: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...] | None:
    """Names given by commas or by repeating the option; an option without any is no option that was left out."""
    names = [name.strip() for part in value for name in part.split(",")]
    found = tuple(name for name in names if name)
    if value and not found:
        raise InputError(parameter.opts[0], "must have at least one name", repr(",".join(value)))
    return found or None


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


class _Share(click.ParamType):  # type: ignore[type-arg,unused-ignore]  # generic from click 8.3 on
    name = "SHARE"

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> Any:
        text = str(value).strip()
        try:
            return float(text.removesuffix("%")) / 100 if text.endswith("%") else float(text)
        except ValueError:
            self.fail(f"{value!r} is no share. Write 0.05 or 5%.", parameter, context)


class NamedChoice(click.Choice):  # type: ignore[type-arg,unused-ignore]  # generic from click 8.2 on
    """One of a few names; an error asks whether one of them was meant."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the name."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            names = [str(one) for one in self.choices]
            rule = f"must be one of {', '.join(names)}"
            name = param.opts[0] if param is not None else "VALUE"
            raise InputError(name, rule, repr(value), did_you_mean(str(value), names)) from error


path = click.Path(path_type=Path)
share = _Share()

common = _all(
    click.option("--seed", type=int, default=None, help="Whole number that makes the run repeatable."),
    click.option("--json", "json_only", is_flag=True, help="Print the result as JSON on stdout, nothing else."),
    click.option("--quiet", is_flag=True, help="Print nothing on stderr but errors."),
    config.option,
)


def parameters(*decorators: Any) -> list[click.Parameter]:
    """Return the options that decorators would give to a function, in their order."""

    def nothing() -> None: ...

    _all(*decorators)(nothing)
    return list(reversed(nothing.__click_params__))  # type: ignore[attr-defined]


def check_distinct(several: list[click.Parameter], owner: str) -> None:
    """Refuse settings of other packages that have the name of an option which is there already."""
    names = [one.name for one in several]
    for name in names:
        if names.count(name) > 1:
            rule = f"must not be a setting of {owner}: the command line has an option of that name"
            raise InputError(str(name), rule, "a setting", "Rename it in the package that adds it.")


leave_out = click.option("--leave-out", multiple=True, callback=split_names, help="Columns to leave out, by commas.")
preparation = _all(
    click.option(
        "--missing",
        type=NamedChoice(["drop", "mean"]),
        help="Rows with missing values: drop them, or fill the gaps with the column's mean or most common category.",
    ),
    click.option(
        "--categories",
        type=NamedChoice(["one-hot", "leave-out"]),
        default="leave-out",
        show_default=True,
        help="Columns of text: leave them out, or turn each into columns of 0 and 1 that count as one attribute.",
    ),
    click.option(
        "--codes",
        multiple=True,
        callback=split_names,
        help="Columns of numbers that are codes, by commas: categories, and no amounts. Needs --categories one-hot.",
    ),
    click.option(
        "--standardise",
        is_flag=True,
        help="Give every column mean 0 and standard deviation 1, so that all columns matter alike.",
    ),
)
steps = click.option(
    "--steps",
    type=path,
    help="Prepare the records by the steps in this file: NAME.steps.json, which perturb writes beside the key.",
)
# Where tables are, and how they are written there: see docs/tables.md.
reading = _all(
    click.option("--query", help="SQL query to read from a database. For a whole table, write URL#TABLE instead."),
    click.option("--sheet", help="Sheet of an Excel workbook, by name or number.  [default: the first]"),
    click.option("--encoding", help="Encoding of CSV and TSV, if it is not UTF-8: latin-1, cp1252, ..."),
)
_TABLE = "The table"
RELEASE, KNOWLEDGE, FILES = "The release", "What the attacker knows", "Reading files and databases"
_READ, _PREPARED = (
    ("columns", "leave_out", "id_column", "query", "encoding", "sheet"),
    ("missing", "categories", "codes", "standardise"),
)


def owners_table(columns: str, ids: str = "Column that names the records.") -> Callable[[F], Callable[..., Any]]:
    """DATA, how it is read and how it is prepared: the command gets all of it as ``table``.

    Parameters
    ----------
    columns, ids
        What is said of --columns and --id-column.
    """

    def decorate(command: F) -> Callable[..., Any]:
        @wraps(command)
        def gathered(**given: Any) -> Any:
            from isobreach.cli.tables import Data  # not above: it imports NumPy, for which no help text waits

            read, prepared = ({name: given.pop(name) for name in names} for names in (_READ, _PREPARED))
            return command(table=Data(given.pop("data"), **read, preparation=prepared), **given)

        table = section(
            _TABLE,
            click.option("--id-column", help=ids),
            click.option("--columns", multiple=True, callback=split_names, help=columns),
            leave_out,
            preparation,
            reading,
        )
        return _all(click.argument("data"), table)(gathered)

    return decorate


released = click.option("--released", required=True, help="Released table: a file, a database's URL or -.")
engine = _all(
    click.option(
        "--engine",
        type=NamedChoice(["local", "dask"]),
        default="local",
        show_default=True,
        help="What reads RELEASED: threads of this process, or the workers of a Dask cluster (Parquet files only).",
    ),
    click.option(
        "--scheduler",
        metavar="ADDRESS",
        help="Address of the Dask scheduler, such as tcp://host:8786.  [default: processes of this machine]",
    ),
)
columns_of_known = _all(
    click.option(
        "--columns",
        multiple=True,
        callback=split_names,
        help="Numeric columns of --known and of the other records that the attacker holds, by commas.",
    ),
    leave_out,
    click.option("--id-column", help="Column that names the known records."),
)
released_columns = _all(
    click.option(
        "--released-columns", multiple=True, callback=split_names, help="Numeric columns of --released, by commas."
    ),
    click.option("--released-id-column", help="Column of --released that names its rows."),
)


def known(required: bool, *, partial: bool = False) -> Any:
    """Option for known records; ``partial``: they may lack attributes."""
    told = "; empty cells are attributes that are not known." if partial else "."
    return click.option(
        "--known", required=required, help=f"Records the attacker knows: a file, a database's URL or -{told}"
    )


# What an attacker may hold, each as an option; whether it is required depends on the attack.
HELD: dict[str, Callable[[bool], Any]] = {
    "known": known,
    "rows": lambda required: click.option(
        "--rows",
        metavar="FILE|ROW,ROW,...",
        required=required,
        help="Released row of each known record, counted from 0; -1 where it is not known. Row numbers by commas, or a "
        "table of one numeric column.",
    ),
    "sample": lambda required: click.option(
        "--sample", required=required, help="Records of the same population, in the release or not."
    ),
    "bounds": lambda required: click.option(
        "--bounds",
        metavar="FILE|LEAST:GREATEST",
        required=required,
        help="Ranges of the attributes: one for all (0:15, 0: or :100), or a .csv or .parquet file with the columns "
        "attribute, least, greatest.",
    ),
    "noise": lambda required: click.option(
        "--noise",
        type=_NoiseLevel(),
        metavar="SIGMA|estimate",
        required=required,
        help="Standard deviation of the noise on each released coordinate; estimate finds it out.",
    ),
    "dictionary": lambda required: click.option(
        "--dictionary",
        required=required,
        help="Candidate records that may be in the release or not. Same columns and id column as in --known.",
    ),
}

outputs = _all(
    click.option(
        "--out", type=path, help="New folder for report.html, result.json, figures and the other files of the method."
    ),
    click.option("--estimates", is_flag=True, help="Also write the estimated records to --out. They are private."),
)

# How known records are linked.
linking = _all(
    click.option(
        "--rule",
        type=NamedChoice(["backbone", "uniquely-valid"]),
        default="backbone",
        show_default=True,
        help="Which links count: all certain ones, or only those of the paper.",
    ),
    click.option(
        "--tolerance",
        type=float,
        default=None,
        help="Largest error of a released coordinate.  [default: read from the release]",
    ),
    click.option(
        "--motion",
        type=NamedChoice(["orthogonal", "rigid", "similarity", "auto"]),
        default="auto",
        show_default=True,
        help="What the release keeps: norms and distances (orthogonal), distances (rigid) or ratios of distances "
        "(similarity). auto decides and says why.",
    ),
    click.option(
        "--normalise",
        is_flag=True,
        help="Scale the attacker's records to length one first, as vector stores do.",
    ),
)

attacker = _all(
    section(RELEASE, released, released_columns, engine),
    section(
        KNOWLEDGE,
        known(True, partial=True),
        *(HELD[name](False) for name in ("dictionary", "sample", "noise")),
        columns_of_known,
        steps,
    ),
    section("Linking", linking),
    section(FILES, reading),
)


def epsilon(default: float) -> Any:
    """Option for the relative error that is a breach."""
    return click.option(
        "--epsilon", type=float, default=default, show_default=True, help="Relative error that counts as a breach."
    )


force = click.option("--force", is_flag=True, help="Replace an existing output.")


def setting(one: Any, help_text: str | None = None, *, unset: bool = False) -> Any:
    """Return the option of a setting: its type is that of its default unless it says otherwise.

    Parameters
    ----------
    one
        A dataclass field made by ``isobreach._settings.setting``.
    help_text
        Instead of the field's own.
    unset
        Leave the value None where the option is not given.
    """
    told = one.metadata
    name, text = f"--{one.name.replace('_', '-')}", help_text or told.get("help")
    if isinstance(one.default, bool):
        flags = f"{name}/--no-{name[2:]}" if one.default else name
        return click.option(flags, one.name, is_flag=True, default=None if unset else one.default, help=text)
    kind = NamedChoice(told["choices"]) if "choices" in told else told.get("type", type(one.default))
    shown = {} if unset else {"default": one.default, "show_default": one.default is not None}
    return click.option(name, one.name, type=kind, metavar=told.get("metavar"), help=text, **shown)


class WithScheme(Command):
    """A command with ``--scheme`` and the parameters of every scheme there is.

    They are looked up when the command is used: other packages may have schemes too.
    """

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the command's own options after those of the schemes."""
        arguments = [one for one in self.params if isinstance(one, click.Argument)]
        rest = [one for one in super().get_params(ctx) if one not in arguments]
        chosen, *others = _scheme_options()
        taken = {chosen.name, *(one.name for one in rest)}  # a parameter of such a name can be set in Python only
        return [*arguments, chosen, *(one for one in others if one.name not in taken), *rest]


@cache
def _scheme_options() -> list[click.Parameter]:
    from isobreach.schemes import SCHEMES

    owners: dict[str, list[tuple[str, Any]]] = {}
    for name in SCHEMES:
        try:
            own = fields(SCHEMES[name])
        except IsobreachError:  # another package's, which does not load: said where it is asked for
            continue
        for one in own:
            owners.setdefault(one.name, []).append((name, one))
    chosen = click.option(
        "--scheme",
        type=NamedChoice(list(SCHEMES)),
        default="rigid",
        show_default=True,
        metavar="NAME",
        help=f"How the table is protected: {', '.join(SCHEMES)}.",
    )
    others = []
    for several in owners.values():
        alike: dict[str, list[str]] = {}  # schemes by what the parameter means to them
        for name, one in several:
            default = "" if one.default is None else f" [default: {one.default}]"
            alike.setdefault(f"{one.metadata.get('help', '')}{default}", []).append(name)
        told = "  ".join(f"{', '.join(names)}: {what}" for what, names in alike.items())
        others.append(setting(several[0][1], told, unset=True))
    return parameters(section(RELEASE, chosen), section(PARAMETERS, *others))


def scheme_of(name: str, **parameters: Any) -> Any:
    """The scheme with those parameters that were given."""
    from isobreach.schemes import scheme_by_name

    return scheme_by_name(name, **{key: value for key, value in parameters.items() if value is not None})
