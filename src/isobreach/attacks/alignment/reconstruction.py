# SPDX-License-Identifier: BSD-3-Clause
"""What the alignment attack gives back, and its document."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from isobreach.attacks.alignment.by_transport import AGREES
from isobreach.attacks.alignment.certificate import NOT_FOUND
from isobreach.attacks.alignment.confirmation import Confirmation
from isobreach.attacks.alignment.solution import FittedMotion
from isobreach.attacks.alignment.structured import STRUCTURED
from isobreach.attacks.base import Reconstruction
from isobreach.attacks.readout import ReadOut
from isobreach.document import Document, Fact, Facts, Section, Table, Text
from isobreach.linking import Linkage, link_records, link_table

FloatArray = NDArray[np.float64]

_CAVEATS = (
    "A low loss is no proof: a wrong alignment can fit better than the true one. The certificate is one-sided: above "
    f"{NOT_FOUND:g} the alignment was not found, below it may still be wrong. The forecast is rough, about 0.1 off on "
    "average, and too high where several alignments fit alike."
)
_OBJECTIVES = {
    "density": "the public sample placed in a density of the release",
    "transport": "the public sample matched with the release by third moments and transport",
    "independence": "independent attributes",
    "directions": "independent attributes of rows of length one",
    "ranges": "values inside their ranges",
    "places": "groups of values that many records share together",
    "planes": "planes of values that many records share",
    "products": "attributes that are products of others",
    "sums": "columns that are sums of others",
    "logarithms": "columns that are logarithms of amounts and of their sums",
    "whole numbers": "columns of whole numbers but for a little jitter",
    "series": "columns that are steps of time",
    "variances": "columns that have one variance",
    "ends": "columns that reach from one end to the other",
    "quadrics": "groups of attributes whose squares have one sum for everybody",
    "links": "links alone",
    STRUCTURED: "the sample matched with the release, then rounded to Hadamard matrices, signs and a permutation",
}


@dataclass(frozen=True, eq=False)
class AlignmentReconstruction(Reconstruction):
    """What an alignment gives.

    Attributes
    ----------
    objective
        What the hidden rotation was fitted to: a name among ``OBJECTIVES``; ``"links"`` where they left nothing open;
        ``"hadamard"`` where it was rounded to an exact key; None where nothing could be sought.
    motion
        ``"orthogonal"``, ``"rigid"`` or ``"similarity"``, as given or decided.
    motion_matrix, offset
        The raw estimate of a record is ``y @ motion_matrix + offset``; None where nothing was sought.
    hidden_dimension
        Of the rotation that was sought.
    certificate
        Mann-Whitney z of the sample against released rows held out; above 3, the alignment was not found. None
        without a sample.
    forecast
        Breached share that the attacker expects; None where he cannot tell.
    agreement
        Mean cosine of the estimates with those of an independent fit; None where there was none.
    linked, unused, confirmed
        Known records that were used; that were not; and how many of the latter were found at their place.
    evaluations
        Of an objective and its gradient.
    linkage
        Where known records were linked here.
    read
        The entries of a dictionary that are nearest to each estimate; None without one.
    """

    objective: str | None = field(default=None, kw_only=True)
    motion: str = field(default="orthogonal", kw_only=True)
    motion_matrix: FloatArray | None = field(default=None, repr=False, kw_only=True)
    offset: FloatArray | None = field(default=None, repr=False, kw_only=True)
    hidden_dimension: int = field(default=0, kw_only=True)
    certificate: float | None = field(default=None, kw_only=True)
    forecast: float | None = field(default=None, kw_only=True)
    agreement: float | None = field(default=None, kw_only=True)
    linked: int = field(default=0, kw_only=True)
    unused: int = field(default=0, kw_only=True)
    confirmed: int = field(default=0, kw_only=True)
    evaluations: int = field(default=0, kw_only=True)
    linkage: Linkage | None = field(default=None, repr=False, kw_only=True)
    read: ReadOut | None = field(default=None, repr=False, kw_only=True)


def reason(
    solution: FittedMotion, confirmation: Confirmation, *, coarse: bool, mirrors: Sequence[int]
) -> tuple[bool, str]:
    """Whether an alignment is claimed, and why, in one sentence.

    ``coarse``: known records are on a grid. Another order or other signs of the columns then take them to rows of other
    people exactly, so that they confirm nothing. ``mirrors``: attributes whose mirror image fits all that is held.
    """
    z = solution.certificate
    if solution.objective == STRUCTURED and confirmation.found == confirmation.unused:
        return (
            True,
            "the rotation is no random one: Hadamard matrices, signs and a permutation, whose exact key is read.",
        )
    if solution.frame.hidden == 0 and confirmation.found == confirmation.unused:
        return True, "the links determine the whole motion."
    if solution.agreement is not None and solution.agreement < AGREES:
        told = f"an independent fit gives other estimates (agreement {solution.agreement:.2f}, below {AGREES:g})"
        return False, f"not found: {told}."
    if z is not None and z > NOT_FOUND:
        return False, f"not found: the sample does not lie like released rows (z = {z:.1f}, above {NOT_FOUND:g})."
    if confirmation.complete and coarse:
        return False, "not confirmed: known records are on a grid, which other orders and signs of its columns keep."
    if confirmation.complete and mirrors:
        places = ", ".join(str(attribute + 1) for attribute in mirrors)
        return False, f"not confirmed: nothing that is known tells column {places} from its mirror image."
    if confirmation.complete and solution.objective in ("places", "planes", "products", "quadrics", "whole numbers"):
        return False, "not confirmed: attributes in which known records have the same values may be exchanged."
    if confirmation.complete and solution.objective in ("sums", "logarithms"):
        return False, "not confirmed: known records may have sums in common that others do not have."
    if confirmation.complete:
        which = "the one known record" if confirmation.unused == 1 else f"all {confirmation.unused} known records"
        return True, f"{which} that the fit did not use {'lies' if confirmation.unused == 1 else 'lie'} at their place."
    if confirmation.unused:
        missing = f"{confirmation.unused - confirmation.found} of {confirmation.unused}"
        return False, f"not confirmed: {missing} known records that the fit did not use are not at their place."
    if solution.agreement is not None:
        told = f"agreement {solution.agreement:.2f}, at least {AGREES:g}"
        return True, f"an independent fit to a part of the sample gives the same estimates ({told})."
    return False, "estimates are not confirmed: no known record was left to check them."


def document(found: AlignmentReconstruction, title: str) -> Document:
    """Return the verdict, the figures, what they mean, and the links."""
    asked = found.asked
    rows = [("motion", found.motion), ("known records linked and used", f"{found.linked}")]
    if found.objective is not None:
        rows += [
            ("hidden dimension", f"{found.hidden_dimension}"),
            ("fitted to", _OBJECTIVES[found.objective]),
            ("evaluations", f"{found.evaluations:,}"),
        ]
    if found.certificate is not None:
        rows.append(("certificate z", f"{found.certificate:.1f}"))
    if found.forecast is not None:
        rows.append(("forecast of the breached share", f"{found.forecast:.0%}"))
    if found.agreement is not None:
        rows.append(("agreement of independent fits", f"{found.agreement:.2f}"))
    if found.unused:
        rows.append(("unused known records at their place", f"{found.confirmed} of {found.unused}"))
    facts = tuple(Fact(*row) for row in rows)
    sections = [Section("Alignment", (Facts("The alignment", facts), Text(_CAVEATS, soft=True)), brief=True)]
    data = {
        "schema": "isobreach/alignment/1",
        "claimed": found.claimed,
        "reason": found.reason,
        "motion": found.motion,
        "objective": found.objective,
        "hidden_dimension": found.hidden_dimension,
        "certificate": found.certificate,
        "forecast": found.forecast,
        "agreement": found.agreement,
        "linked": found.linked,
        "unused": found.unused,
        "confirmed": found.confirmed,
        "evaluations": found.evaluations,
        "links": [],
        "rows": asked.shape[0],
        "columns": list(asked.names),
        "seed": asked.seed,
    }
    if found.linkage is not None:
        linkage = replace(found.linkage, known_ids=asked.known_ids, released_ids=asked.released_ids)
        head, cells = link_table(linkage)
        sections.append(Section("Known records", (Table("Links of every known record", head, tuple(cells)),)))
        data["links"] = link_records(linkage)
    if found.read is not None:
        sections.append(_read_section(found, found.read))
        data["read"] = {"entries": found.read.entries.tolist(), "cosines": found.read.cosines.round(6).tolist()}
    return Document(title, f"{title}: {found.reason}", sections=tuple(sections), data=data)


def _read_section(found: AlignmentReconstruction, read: ReadOut) -> Section:
    """Nearest entries of a dictionary: the surest rows first."""
    rows, entries = found.asked.released_ids, found.asked.dictionary_ids
    order = np.argsort(-read.cosines[:, 0], kind="stable")

    def name(ids: NDArray[np.generic] | None, place: int) -> str:
        return str(place + 1 if ids is None else ids[place])

    cells = tuple(
        (name(rows, row), name(entries, int(read.entries[row, 0])), f"{read.cosines[row, 0]:.3f}")
        for row in order.tolist()
        if read.entries[row, 0] >= 0
    )
    head = ("released row", "nearest entry", "cosine")
    return Section(
        "Dictionary",
        (
            Text(
                "An estimate is read as the nearest entry of the dictionary. One whose record is not in the dictionary "
                "has a nearest entry too: nothing here is a link.",
                soft=True,
            ),
            Table("Nearest entry of the dictionary to each estimate", head, cells),
        ),
    )
