# SPDX-License-Identifier: BSD-3-Clause
"""Schemes of one's own: an audit plays what their model says, at least as well as plain attackers, or refuses."""

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import pytest

from audited import audit, settings
from effort import slow
from isobreach.audits.study import _prepared
from isobreach.errors import InputError
from isobreach.geometry import haar, row_norms
from isobreach.schemes import SCHEMES, Key, Release, ReleaseModel, Scheme, perturb

EPSILON, SIZE = 0.2, 9


def _model(motion, **more):
    return ReleaseModel(motion, **more)


@dataclass(frozen=True)
class Own(Scheme):
    """y = s M u + t + e, shuffled; what it declares is given."""

    model: Any = None
    noise: float = 0.0
    scale: float = 1.0
    translates: bool = True
    unit_length: bool = False
    mixes: bool = False
    declared_noise: float | None = None
    name: str = field(default="own", init=False)

    @property
    def keeps(self):
        return () if self.noise or self.scale != 1 or self.unit_length else ("distances",)

    def release(self, records, source):
        rows, n = records.shape
        u = records / row_norms(records)[:, None] if self.unit_length else records
        level = float(np.sqrt(np.mean(np.square(u))))
        translation = 2 * self.scale * level * source.standard_normal((n,)) if self.translates else np.zeros(n)
        declared = self.noise if self.declared_noise is None else self.declared_noise
        key = Key("own", haar(n, source), translation, source.permutation(rows), scale=self.scale, noise=declared)
        data = key.apply(haar(rows, source) @ u if self.mixes else u)
        return Release(data + self.noise * source.standard_normal(records.shape), key)


def _table(seed):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((150, 6)) * [1, 2, 1, 1, 3, 1] + 2


def _attacked(records, scheme, seed, *, centred):
    """Mean share of others that a fit by Procrustes breaches, with a scale fitted too."""
    rng, shares = np.random.default_rng(seed), []
    goal = records / row_norms(records)[:, None] if scheme.unit_length else records
    for k in range(30):
        release = perturb(records, scheme, 1000 + 100 * seed + k)
        rows, insiders = release.data[release.key.order], rng.choice(len(records), SIZE, replace=False)
        x0, y0 = (goal[insiders].mean(axis=0), rows[insiders].mean(axis=0)) if centred else (0.0, 0.0)
        u, s, v = np.linalg.svd((rows[insiders] - y0).T @ (goal[insiders] - x0))
        scale = s.sum() / ((goal[insiders] - x0) ** 2).sum()
        estimates = x0 + (rows - y0) @ u @ v / scale
        hits = row_norms(estimates - goal) <= EPSILON * row_norms(goal)
        shares.append(np.delete(hits, insiders).mean())
    return np.mean(shares), np.std(shares) / np.sqrt(len(shares))


PLAYED = {
    "rigid, little noise": Own(_model("rigid", noise="gaussian"), noise=1e-6),
    "rigid, noise": Own(_model("rigid", noise="gaussian"), noise=0.1),
    "rigid, much noise": Own(_model("rigid", noise="gaussian"), noise=0.5),
    "similarity": Own(_model("similarity"), scale=3.0),
    "similarity, noise": Own(_model("similarity", noise="gaussian"), noise=0.3, scale=3.0),
    "unit length, translation": Own(_model("rigid", unit_length=True), unit_length=True),
}
QUICK = "similarity, noise"


@pytest.mark.parametrize("seed", [0, *slow(*range(1, 8))])
@pytest.mark.parametrize("name", [QUICK, *slow(*(name for name in PLAYED if name != QUICK))])
def test_no_plain_attacker_does_better_than_the_audit_says(name, seed):
    scheme, records = PLAYED[name], _table(seed)
    result = audit(records, scheme=scheme, epsilon=EPSILON, coalition_sizes=[SIZE], trials=20, seed=seed)
    reached, error = _attacked(records, scheme, seed, centred=True)
    told = result.at(SIZE).random.mean
    assert reached <= told.high + 3 * error + 0.005  # of other coalitions: where all of them hit, there is no error
    assert reached > 0.1  # the attacker is one
    assert told.value <= reached + 0.3
    assert result.noise == (scheme.noise > 0)
    assert result.unit_length == scheme.unit_length


def test_little_noise_behind_a_translation_hides_nothing():
    records = _table(0)
    arguments = {"epsilon": 0.05, "coalition_sizes": range(1, 8), "trials": 10, "seed": 1}
    rigid = audit(records, scheme="rigid", rows_known=True, **arguments)
    little = audit(records, scheme=Own(_model("rigid", noise="gaussian"), noise=1e-9), **arguments)
    for size in range(1, 8):
        assert little.at(size).random.mean.value == pytest.approx(rigid.at(size).random.mean.value, abs=1e-5)
        assert little.at(size).random.hidden_dimension == rigid.at(size).random.hidden_dimension
    assert little.at(7).random.breached.value == 1


def test_rows_that_are_not_shuffled_are_known():
    model = _model("rigid", shuffled=False)
    assert audit(_table(0), scheme=Own(model), coalition_sizes=[2], trials=2, seed=0).rows_known
    assert not audit(_table(0), scheme=Own(_model("rigid")), coalition_sizes=[2], trials=2, seed=0).rows_known


@pytest.mark.parametrize(
    ("scheme", "message"),
    [
        (Own(), "must declare what it does to a record. Got own, which has no model. Give its class one"),
        (Own(_model("rigid"), mixes=True), "Got own, whose release shows other errors than rounding"),
        (Own(_model("rigid"), noise=1e-6), "Got own, whose release shows other errors than rounding"),
        (Own(_model("orthogonal")), "Got own, whose release shows other errors than rounding"),
        (Own(_model("rigid"), unit_length=True), "Got own, whose release shows other errors than rounding"),
        (Own(_model("rigid"), translates=False), "Got own, whose release shows no translation. Declare an orthogonal"),
        (
            Own(_model("rigid", noise="gaussian"), noise=0.1, translates=False),
            "Got own, whose release shows no translation. Declare an orthogonal",
        ),
        (Own(_model("orthogonal", noise="gaussian"), noise=0.1), "shows more noise than the key's, or a translation"),
        (Own(_model("rigid", noise="gaussian"), noise=0.1, declared_noise=0.0), "shows more noise than the key's"),
        (Own(_model("rigid", noise="gaussian"), noise=0.1, declared_noise=0.3), "shows less noise than the key's"),
        (Own(_model("rigid", noise="gaussian"), noise=0.1, mixes=True), "shows more noise than the key's"),
    ],
)
def test_what_cannot_be_played_is_refused_with_its_name_and_the_reason(scheme, message):
    with pytest.raises(InputError) as error:
        audit(_table(0), scheme=scheme, epsilon=EPSILON, coalition_sizes=[2], trials=2, seed=0)
    assert str(error.value).startswith("scheme must ")
    assert message in str(error.value)


@pytest.mark.parametrize("kind", [np.float32, np.int64, np.float64])
@pytest.mark.parametrize("name", [name for name in SCHEMES if SCHEMES.built_in(name) and SCHEMES[name].model.moves])
def test_our_own_schemes_are_what_they_declare(name, kind):
    """On tables of few and many rows, far from the origin, of low rank, and with lengths far apart."""
    rng = np.random.default_rng(0)
    spread = 10 ** rng.uniform(-3, 4, (60, 1)) * rng.standard_normal((60, 5))
    low = rng.standard_normal((40, 2)) @ rng.standard_normal((2, 6)) * 100
    tables = [rng.standard_normal((12, 4)) * 50, _table(1) * 30 + 1e4, low, spread * 100, np.eye(5)[:4] * 7]
    tables.append(_table(2) * [1e7, 1, 1, 1e6, 1, 1])
    for records in tables:
        records = records.astype(kind) + kind(1)
        release = perturb(records, name, 0)
        _prepared(records, release, settings(scheme=name), 0)  # what is declared falsely is refused here


@dataclass(frozen=True)
class Disguised(Scheme):
    """A motion with errors that are called noise: the same vector, or the same linear map, for every record."""

    errors: str = "constant"
    name: ClassVar[str] = "disguised"
    model: ClassVar[ReleaseModel] = ReleaseModel("orthogonal", noise="gaussian")

    def release(self, records, source):
        n = records.shape[1]
        rotation = np.linalg.qr(source.standard_normal((n, n)))[0]
        if self.errors == "constant":
            errors = np.tile(3 * source.standard_normal((n,)), (len(records), 1))
        elif self.errors == "linear":
            errors = records @ (0.3 * source.standard_normal((n, n)))
        else:
            errors = 0.5 * source.standard_normal(records.shape)
        u, _, v = np.linalg.svd((records @ rotation.T + errors).T @ records)
        left = records @ rotation.T + errors - records @ (u @ v).T
        order = source.permutation(len(records))
        key = Key(self.name, u @ v, np.zeros(n), order, noise=float(np.sqrt((left**2).mean())))
        rows = np.empty(records.shape)
        rows[order] = records @ rotation.T + errors
        return Release(rows, key)


@pytest.mark.parametrize("seed", [0, *slow(*range(1, 8))])
def test_errors_that_insiders_can_fit_are_no_noise(seed):
    records = np.random.default_rng(seed).standard_normal((120, 4))
    arguments = {"epsilon": 0.1, "coalition_sizes": [2], "trials": 2, "seed": seed}
    for errors in ("constant", "linear"):
        with pytest.raises(InputError, match="errors that are the same map of every record, which is no noise"):
            audit(records, scheme=Disguised(errors), **arguments)
    assert audit(records, scheme=Disguised("independent"), **arguments).noise


def test_a_scale_that_is_not_declared_is_refused():
    with pytest.raises(InputError, match="a scale that is not declared"):
        audit(_table(0), scheme=Own(_model("rigid"), scale=3.0), coalition_sizes=[2], trials=2, seed=0)
