# SPDX-License-Identifier: BSD-3-Clause
"""The present command in its user's words: how to type it again, and errors that name options instead of arguments."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

from isobreach.errors import InputError

F = TypeVar("F", bound=Callable[..., Any])

# Where a result goes and how loudly, not what it is; the seed is told apart, because it may be drawn.
_LEFT_OUT = frozenset({"out", "force", "seed", "json_only", "quiet", "config"})
# Options of the same name that mean something else to another command.
_OTHERWISE = frozenset({"trials", "attacks"})
# Arguments of the library that no option of the same name stands for.
_ARGUMENTS = {"coalition_sizes": "--coalitions", "X": "DATA", "released": "the trial release", "output": "--out"}


PARAMETERS, GENERAL = "Parameters of schemes", "General options"
_LAST = (PARAMETERS, GENERAL)  # sections that come last: the first one is long, the other the same everywhere
_KEPT = "__click_params__"  # where click keeps the options of a function, the last one first
_SECTION = "_isobreach_section"  # attribute of an option: the heading under which the help lists it


def section(title: str, *decorators: Callable[[F], F]) -> Callable[[F], F]:
    """Options that the help lists under a heading of their own, in this order.

    Parameters
    ----------
    title
        The heading.
    decorators
        The options.
    """

    def decorate(command: F) -> F:
        before = len(getattr(command, _KEPT, ()))
        for decorator in reversed(decorators):
            command = decorator(command)
        for one in getattr(command, _KEPT)[before:]:
            setattr(one, _SECTION, title)
        return command

    return decorate


class Command(click.Command):
    """A command whose errors name its options, as they are typed, and whose help lists them in sections."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        with named_as_typed():
            return super().invoke(ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the options, one section after the other."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for one in self.get_params(ctx):
            record = one.get_help_record(ctx)
            if record is not None and isinstance(one, click.Option):
                sections.setdefault(getattr(one, _SECTION, GENERAL), []).append(record)
        for title in sorted(sections, key=lambda title: title in _LAST and 1 + _LAST.index(title)):
            with formatter.section(title if len(sections) > 1 else "Options"):
                formatter.write_dl(sections[title])


def typed_again(other: click.Command | None = None) -> tuple[str, ...]:
    """The present command with what differs from its defaults: files by their names, no output, no seed.

    ``other``: a command to give the same table instead, with those options of which it means the same.
    """
    context = click.get_current_context()
    arguments, options = ["isobreach", str(context.info_name if other is None else other.name)], []
    own = {one.name: one for one in context.command.get_params(context)}
    meant = own if other is None else {one.name: one for one in other.params if one.name not in _OTHERWISE}
    for parameter in (meant[name] for name in own if name in meant):
        value = context.params.get(str(parameter.name))
        if parameter.name in _LEFT_OUT or value is None or value == parameter.default:
            continue
        if isinstance(parameter, click.Argument):
            arguments.append(_file(value))
        else:
            flags = parameter.secondary_opts if value is False else parameter.opts
            options += flags[:1] if isinstance(value, bool) else [parameter.opts[0], _text(value)]
    return (*arguments, *options)


@contextmanager
def named_as_typed() -> Iterator[None]:
    """Bad input is said of the present command's options, as they are typed."""
    try:
        yield
    except InputError as error:
        context = click.get_current_context()
        options = [one for one in context.command.get_params(context) if isinstance(one, click.Option)]
        names = {**_ARGUMENTS, **{str(one.name): one.opts[0] for one in options}}
        rule, step = (_renamed(text, names) for text in (error.rule, error.next_step))
        raise InputError(names.get(error.name, error.name), rule, error.got, step) from None


def _renamed(text: str, names: dict[str, str]) -> str:
    """A sentence with other names: of arguments that are no English words, and of those in a list of parameters."""
    listed, has, parameters = text.partition("It has: ")
    strange = [name for name in names if "_" in name or name == "X"]
    said = re.sub(rf"(?<![\w-])({'|'.join(strange)})\b", lambda found: names[found[0]], listed)
    return said + has + re.sub(r"\w+", lambda found: names.get(found[0], found[0]), parameters)


def _file(path: str) -> str:
    """The name of a file or folder, without where it lies, or of a database; never one that reads like an option."""
    from isobreach.io import STANDARD_INPUT, Source  # not above: it imports NumPy, for which no help text waits

    name = Source(path, "DATA").name or Path(path).absolute().name
    return f"./{name}" if name.startswith("-") and name != STANDARD_INPUT else name


def _text(value: Any) -> str:
    """A value that reads back as the same: names by commas, numbers in full."""
    return ",".join(value) if isinstance(value, tuple) else repr(value) if isinstance(value, float) else str(value)
