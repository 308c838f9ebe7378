# SPDX-License-Identifier: BSD-3-Clause
"""What isobreach raises: one root class, one form of message.

A message is one line: the name of what was given, the rule it breaks, what was received, and where it helps
the next step. Private values never appear in it: positions, counts and types do.
"""

from collections.abc import Sequence

from isobreach._text import discreet


class IsobreachError(Exception):
    """Root of every error that isobreach raises on purpose."""


class InputError(IsobreachError, ValueError):
    """An argument or a table breaks a rule.

    Parameters
    ----------
    name
        What was given: an argument, an option or a table.
    rule
        What it must be.
    got
        What was received instead; never a private value.
    next_step
        What to do about it, a sentence.

    >>> print(InputError("epsilon", "must be a number > 0", -1))
    epsilon must be a number > 0. Got -1.
    >>> print(InputError("known", "must have 16 columns like released", "15 columns", "Choose with --columns."))
    known must have 16 columns like released. Got 15 columns. Choose with --columns.
    """

    def __init__(self, name: str, rule: str, got: object, next_step: str = "") -> None:
        self.name, self.rule, self.got, self.next_step = name, rule, got, next_step
        super().__init__(discreet(f"{name} {rule}. Got {got}." + (f" {next_step}" if next_step else "")))

    def __reduce__(self) -> tuple[type["InputError"], tuple[str, str, object, str]]:
        return type(self), (self.name, self.rule, self.got, self.next_step)


class OutputError(IsobreachError, OSError):
    """An output cannot be written; nothing was left half-written.

    Parameters
    ----------
    message
        The file, the reason and the next step.
    """

    def __init__(self, message: str) -> None:
        super().__init__(discreet(message))


class LeftOutWarning(UserWarning):
    """Columns were left out: no figure of the result is about them.

    Parameters
    ----------
    name
        The table.
    columns
        Its columns that were left out.
    """

    def __init__(self, name: str, columns: Sequence[str]) -> None:
        self.name, self.columns = name, tuple(columns)
        listed = ", ".join(map(repr, columns))
        super().__init__(discreet(f"{name}: columns were left out: {listed}. Nothing is said of them."))

    def __reduce__(self) -> tuple[type["LeftOutWarning"], tuple[str, tuple[str, ...]]]:
        return type(self), (self.name, self.columns)


class NothingLinkedWarning(UserWarning):
    """No known record was linked, so that nothing was learned of any record: that does not make a release safe.

    Parameters
    ----------
    records
        Number of known records.
    reasons
        What it may mean, the likeliest first, a clause each.
    """

    def __init__(self, records: int, reasons: Sequence[str]) -> None:
        self.records, self.reasons = records, tuple(reasons)
        super().__init__(f"0 of {records} known records were linked. Likely reasons: {'; '.join(reasons)}.")

    def __reduce__(self) -> tuple[type["NothingLinkedWarning"], tuple[int, tuple[str, ...]]]:
        return type(self), (self.records, self.reasons)


class NotPlayedWarning(UserWarning):
    """A figure was asked for beyond the knowledge that was played: it is a lower bound, which may be far too low.

    Parameters
    ----------
    asked
        What was asked for, in words.
    played
        The most that was played, in words.
    next_step
        How to play it, a sentence.
    """

    def __init__(self, asked: str, played: str, next_step: str) -> None:
        self.asked, self.played, self.next_step = asked, played, next_step
        said = f"Not played: {asked}. The most in this audit is {played}, whose figure this is"
        super().__init__(f"{said}: a lower bound, which may be far too low. {next_step}")

    def __reduce__(self) -> tuple[type["NotPlayedWarning"], tuple[str, str, str]]:
        return type(self), (self.asked, self.played, self.next_step)


class MissingExtraError(IsobreachError, ImportError):
    """A feature needs an optional package that is not installed.

    Parameters
    ----------
    feature
        What was asked for.
    package
        What it needs.
    extra
        The extra of isobreach that installs it.
    """

    def __init__(self, feature: str, package: str, extra: str) -> None:
        self.feature, self.package, self.extra = feature, package, extra
        super().__init__(f"{feature} needs {package}. Install it in isobreach's folder: pip install '.[{extra}]'")

    def __reduce__(self) -> tuple[type["MissingExtraError"], tuple[str, str, str]]:
        return type(self), (self.feature, self.package, self.extra)
