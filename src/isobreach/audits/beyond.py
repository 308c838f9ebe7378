# SPDX-License-Identifier: BSD-3-Clause
"""Knowledge that a figure is asked about and nobody was played who has it: what to say of it."""

from collections.abc import Sequence

from isobreach._phrases import count
from isobreach.errors import NotPlayedWarning


def not_played(
    insiders: int, sample: int, *, sizes: Sequence[int], samples: Sequence[int], rows: int
) -> NotPlayedWarning | None:
    """What a figure for so much knowledge has to come with; None where as much was played.

    Parameters
    ----------
    insiders, sample
        What was asked about.
    sizes, samples
        What was played, both rising; samples begin with 0.
    rows
        Of the table.
    """
    beyond = []
    if insiders > sizes[-1]:
        step = f"coalition_sizes up to {insiders}" if insiders < rows else f"more than {insiders:,} rows"
        beyond.append((count(insiders, "insider"), count(sizes[-1], "insider"), step))
    if sample > samples[-1]:
        needed = max(2 * sample, sample + sizes[-1] + 1)
        step = f"samples={[*samples[1:], sample]}"
        step += "" if needed <= rows else f" on at least {needed:,} rows, because they are held out of the table"
        played = count(samples[-1], "public record") if samples[-1] else "no public record"
        beyond.append((count(sample, "public record"), played, step))
    if not beyond:
        return None
    asked, played, step = (" and ".join(words) for words in zip(*beyond, strict=True))
    return NotPlayedWarning(asked, played, f"Run the audit again with {step}.")
