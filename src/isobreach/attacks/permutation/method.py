# SPDX-License-Identifier: BSD-3-Clause
"""The attack on permuted columns as a method: what it needs, how it runs, and what it gives back."""

from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from isobreach._arrays import FloatArray, IntArray
from isobreach._phrases import count
from isobreach._progress import Progress
from isobreach._random import generator
from isobreach._settings import setting
from isobreach._validation import check_epsilon, check_positive, check_seed
from isobreach.attacks.base import Attack, Reconstruction
from isobreach.attacks.knowledge import Knowledge
from isobreach.attacks.pairs import Affine, Pairs, estimated
from isobreach.attacks.permutation.confirming import confirmed as confirmed_by
from isobreach.attacks.permutation.matching import Matching, Released
from isobreach.attacks.refine import Evidence, refined, variants
from isobreach.engine import Engine
from isobreach.errors import InputError
from isobreach.geometry import TRANSFORMS, Transform, public_transform, row_norms
from isobreach.linking import link
from isobreach.release import ReleaseModel

_EVERYTHING = "all columns"
_NO_TRANSFORM = "none"
_ALIKE = 1e-3  # of a length: what 16 bits leave of vectors of length one
_TINY = float(np.finfo(np.float64).tiny)
_CHOICES = (_NO_TRANSFORM, *TRANSFORMS)


@dataclass(frozen=True, eq=False)
class PermutationReconstruction(Reconstruction):
    """What the permutation attack gives back.

    Attributes
    ----------
    columns
        Released column of each attribute, the best guess; -1 for attributes without one.
    signs
        Its sign.
    confirmed
        Whether two parts of the sample, or known records, confirm it.
    scale
        Released values over those of the records.
    """

    columns: IntArray | None = None
    signs: FloatArray | None = None
    confirmed: NDArray[np.bool_] | None = None
    scale: float = 1.0


@dataclass(frozen=True)
class PermutationSettings:
    """Settings of the permutation attack."""

    epsilon: float = setting(0.1, "Relative error that counts as a breach.")
    scale: float | None = setting(None, "Released values over those of the records; found out by default.", type=float)
    transform: str = setting(
        _NO_TRANSFORM, "Public transform of the records, whose coefficients were permuted.", choices=_CHOICES
    )


class PermutationAttack(Attack):
    """Recognise attributes among permuted columns by a public sample, or by known records."""

    name = "permutation"
    title = "permutation attack"
    needs_any = frozenset({"known", "sample"})
    uses = frozenset({"known", "rows", "sample", "bounds", "noise"})
    settings = PermutationSettings
    takes_narrow = True

    def suits(self, model: ReleaseModel) -> str | None:
        """Return why columns are not just permuted, or None."""
        if model.in_place:
            return "released columns are the attributes already, in their order"
        if (model.permutation and model.moves) or model.coefficients is not None:
            return None
        return model.unmoved or "every released column mixes several attributes"

    def run(
        self, release: Engine, knowledge: Knowledge, *, seed: int | None, progress: Progress, **settings: Any
    ) -> Reconstruction:
        """Match columns and attributes, and say which matches are confirmed."""
        chosen = PermutationSettings(**settings)
        epsilon = check_epsilon(chosen.epsilon)
        given = None if chosen.scale is None else check_positive("scale", chosen.scale)
        if isinstance(knowledge.noise, str):
            raise InputError("noise", "must be a number for this attack", repr(knowledge.noise), "Give its deviation.")
        draws = generator(check_seed(seed) or 0, "components")
        n = knowledge.columns(release.shape[1])
        plain = chosen.transform == _NO_TRANSFORM
        basis = np.eye(n) if plain else public_transform(cast(Transform, chosen.transform), n)
        held = _through(knowledge, basis)
        noise, pairs = float(knowledge.noise or 0.0), _pairs(release, held, progress)
        records = np.asarray(held.sample if held.sample is not None else held.known)
        about = Released.of(release, n, noise, progress)
        matching = Matching(about, pairs, given, draws)
        best = matching.of(records).within(release.shape[1])
        confirmed, said = confirmed_by(matching, best, records, sampled=held.sample is not None)
        if not plain:  # every attribute is made of all coefficients
            confirmed = np.full(n, confirmed[best.columns >= 0].all())
        affine = best.affine(release.shape[1], records).then(basis)
        raw = estimated(release, affine, progress)
        evidence = Evidence.held(knowledge, n, epsilon=epsilon, noise=noise / best.scale)
        found = {_EVERYTHING: raw, **variants(raw, evidence)}
        if noise:
            filtered = estimated(release, _filtered(about, affine, release.shape[1]), progress)
            found["noise filtered"] = filtered
            length = _one_length(knowledge)
            if length is not None:
                found["noise filtered, at one length"] = (
                    filtered * (length / np.maximum(row_norms(filtered), _TINY))[:, None]
                )
        exact = not noise and not best.shifted and best.scale == 1  # there is nothing to refine
        told = raw if exact else refined(raw, evidence)
        return PermutationReconstruction(
            bool(confirmed.any()),
            f"{int(confirmed.sum())} of {count(n, 'attribute')} recognised among {release.shape[1]} columns; {said}.",
            np.where(confirmed, told, np.nan) if confirmed.any() else told,
            decided=bool(confirmed.all()),
            variants=found,
            columns=best.columns,
            signs=best.signs,
            confirmed=confirmed,
            scale=best.scale,
        )


def _pairs(release: Engine, knowledge: Knowledge, progress: Progress) -> Pairs | None:
    """Known records and their rows, given or linked; under noise that search takes minutes, and a sample tells more."""
    rows = knowledge.rows
    if knowledge.known is None or (rows is None and knowledge.noise and knowledge.sample is not None):
        return None
    missing = knowledge.known.shape[1] - release.shape[1]
    if rows is None:
        if missing > 0:  # distances are not kept
            return None
        rows = link(np.asarray(knowledge.known), release, noise=knowledge.noise or None, progress=progress).rows
    if not (np.asarray(rows) >= 0).any():
        return None
    pairs = Pairs.given(release, replace(knowledge, rows=rows))
    return replace(pairs, rows=np.pad(pairs.rows, ((0, 0), (0, max(missing, 0)))))


def _through(knowledge: Knowledge, basis: FloatArray) -> Knowledge:
    """What the attacker holds, as coefficients."""
    tables = (knowledge.known, knowledge.sample)
    known, sample = (None if one is None else np.asarray(one, dtype=np.float64) @ basis.T for one in tables)
    return replace(knowledge, known=known, sample=sample)


def _one_length(knowledge: Knowledge) -> float | None:
    """The length of all records that are held, where they have one, as vectors often do."""
    lengths = np.concatenate([row_norms(one) for one in (knowledge.known, knowledge.sample) if one is not None])
    middle = float(lengths.mean())
    return middle if lengths.std() <= _ALIKE * middle else None


def _filtered(about: Released, affine: Affine, wide: int) -> Affine:
    """The map back after the Bayes estimate of rows with this covariance and noise."""
    mean = about.mean[:wide]
    values, vectors = np.linalg.eigh(about.covariance[:wide, :wide])
    weights = np.divide(np.maximum(values - about.noise**2, 0.0), values, out=np.zeros_like(values), where=values > 0)
    matrix = (vectors * weights) @ vectors.T
    return Affine(matrix @ affine.matrix, (mean - mean @ matrix) @ affine.matrix + affine.shift)
