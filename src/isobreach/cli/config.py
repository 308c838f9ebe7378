# SPDX-License-Identifier: BSD-3-Clause
"""``--config FILE``: options in a TOML file, under the names that they have on the command line.

Names at the top are options of the present command. A table called like a command, ``[audit]`` or ``[attack.lattice]``,
holds options of that command, so that one file serves several. What is typed wins over the file.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import click

from isobreach._phrases import did_you_mean
from isobreach.errors import InputError

_NAME = "config"


def configured(context: click.Context, parameter: click.Parameter, path: Path | None) -> None:
    """Take the options of a file as defaults of the present command; the callback of ``--config``."""
    if path is None:
        return
    from isobreach.io import read_toml  # not above: it imports NumPy, for which no help text waits

    contexts: list[click.Context] = []
    above: click.Context | None = context
    while above is not None:
        contexts.insert(0, above)
        above = above.parent
    own = {
        one.opts[-1].lstrip("-"): one
        for one in context.command.get_params(context)
        if isinstance(one, click.Option) and one.name not in (_NAME, "help")
    }
    found: dict[str, Any] = {}
    level: Mapping[str, Any] = read_toml(path, "--config")
    for place, outer in enumerate(contexts):
        commands = outer.command.list_commands(outer) if isinstance(outer.command, click.Group) else []
        tables = {name for name, value in level.items() if isinstance(value, Mapping) and name in commands}
        for name, value in level.items():
            if name not in tables:
                option = own.get(name.replace("_", "-"))
                if option is None:
                    raise _unknown(name, context, [*own, *commands])
                found[str(option.name)] = _value(name, option, value)
        below = contexts[place + 1].info_name if place + 1 < len(contexts) else None
        level = level[below] if below in tables else {}
    context.default_map = found


def _unknown(name: str, context: click.Context, names: Iterable[str]) -> InputError:
    hint = did_you_mean(name.replace("_", "-"), list(names)) or f"See {context.command_path} --help."
    return InputError("--config", f"must hold options of {context.command_path}", repr(name), hint)


def _value(name: str, option: click.Option, value: Any) -> Any:
    """A value as if it were typed, so that the type of the option checks it."""
    if option.is_flag:
        if not isinstance(value, bool):
            raise InputError("--config", f"must have true or false for {name}", repr(value))
        return value
    values = value if isinstance(value, list) else [value]
    if not values or any(isinstance(one, bool | Mapping | list) for one in values):
        raise InputError("--config", f"must have a number, a text or a list of them for {name}", type(value).__name__)
    texts = tuple(map(str, values))
    return texts if option.multiple else ",".join(texts)


option = click.option(
    f"--{_NAME}",
    type=click.Path(path_type=Path),
    callback=configured,
    is_eager=True,
    expose_value=False,
    help="TOML file with options of this command, by their names; what is typed wins.",
)
