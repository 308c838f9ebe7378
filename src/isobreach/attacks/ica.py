# SPDX-License-Identifier: BSD-3-Clause
r"""Take the independent components of the release for the attributes (plain ICA).

Where the attributes themselves are independent, and at most one is Gaussian, FastICA on the released rows gives them
back, whatever the linear map, but for order, sign and scale. What the attacker holds names them: marginals of a sample
or of known records (quantile functions of standardised values), and known records whose rows are given, which say which
component takes their values. Scale and mean are those of the records held, or of the linked ones where they are few.

Attributes of real tables depend on each other, and their components are then something else. Nothing proves the result,
so nothing is claimed; the alignment attack uses that a motion is orthogonal as well.
"""

import numpy as np

from isobreach._arrays import FloatArray
from isobreach._phrases import count
from isobreach.attacks.ak_ica import ByComponents
from isobreach.attacks.components import Components, costs, matched
from isobreach.attacks.knowledge import Knowledge
from isobreach.attacks.pairs import Affine, Pairs
from isobreach.engine import Engine

_ERROR = 0.3  # standard deviation of a component's error beside its spread: of FastICA, and of what few records show
_MANY = 50  # records from which on their means and deviations are better than a line through a few linked ones


class Ica(ByComponents):
    """Take the independent components of the release for the attributes."""

    name = "ica"
    title = "ICA attack"
    uses = ByComponents.uses | {"rows"}

    def wanted(self, records: FloatArray) -> int:
        """Return the number of attributes."""
        return records.shape[1] if len(records) > 1 else 0

    def matched(
        self,
        release: Engine,
        knowledge: Knowledge,
        records: FloatArray,
        theirs: Components,
        draws: np.random.Generator,
    ) -> tuple[Affine, str]:
        """Return the components in the order, with the signs and on the scale of the attributes."""
        mean, spread = records.mean(axis=0), np.maximum(records.std(axis=0), np.finfo(np.float64).tiny)
        cost = len(records) * costs((records - mean) / spread, theirs.sources)
        said = f"the attributes of {count(len(records), 'record')} that the attacker holds, by their distributions"
        linked = _linked(release, knowledge)
        if linked is not None:
            values, sources = (linked.records - mean) / spread, (linked.rows - theirs.mean) @ theirs.unmixing
            apart = [((values[:, :, None] - s * sources[:, None, :]) ** 2).sum(axis=0) for s in (1.0, -1.0)]
            cost = cost + np.stack(apart) / (2 * _ERROR**2)
            said += f", and by {count(len(linked), 'linked pair')}"
        order, signs = matched(cost)
        scale = signs * spread
        if linked is not None and len(linked) > 2 and len(records) < _MANY:
            mean, scale = _lines(linked.records, sources[:, order], mean, scale)
        matrix = theirs.unmixing[:, order] * scale
        return Affine(matrix, mean - theirs.mean @ matrix), said


ATTACK = Ica()


def _linked(release: Engine, knowledge: Knowledge) -> Pairs | None:
    if knowledge.rows is None or knowledge.known is None or not (np.asarray(knowledge.rows) >= 0).any():
        return None
    return Pairs.given(release, knowledge)


def _lines(
    records: FloatArray, sources: FloatArray, mean: FloatArray, scale: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Offset and slope of the line through linked values of each attribute; as they were where sources do not vary."""
    middle, centre = sources.mean(axis=0), records.mean(axis=0)
    about = sources - middle
    squares = (about**2).sum(axis=0)
    slope = np.divide((about * records).sum(axis=0), squares, out=scale.copy(), where=squares > 0)
    return np.where(squares > 0, centre - slope * middle, mean), slope
