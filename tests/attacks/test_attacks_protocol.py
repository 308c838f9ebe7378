# SPDX-License-Identifier: BSD-3-Clause
"""What every attack has in common: what it needs, which releases it suits, its settings and its document."""

from dataclasses import dataclass, fields, is_dataclass

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import isobreach as ib
from isobreach._registry import Registry
from isobreach.attacks import ATTACKS, Attack, Reconstruction, setting
from isobreach.attacks.base import reconstruct
from isobreach.document import Document
from isobreach.engine import as_engine
from isobreach.errors import InputError
from isobreach.release import ReleaseModel

X = np.random.default_rng(0).integers(0, 40, (120, 4)).astype(float)


@pytest.fixture(params=[name for name in ATTACKS if ATTACKS.built_in(name)])
def attack(request):
    return ATTACKS[request.param]


def test_the_registry_has_one_attack_a_module():
    own = [name for name in ATTACKS if ATTACKS.built_in(name)]
    assert own == ["known-input", *sorted(set(own) - {"known-input"})]
    assert {"alignment", "kaplan", "lattice", "regression"} <= set(own)
    assert all(isinstance(ATTACKS[name], Attack) and ATTACKS[name].name == name for name in ATTACKS)
    assert "magic" not in ATTACKS
    with pytest.raises(KeyError):
        ATTACKS["magic"]


def test_a_name_of_this_package_cannot_be_taken(monkeypatch):
    class Point:
        name, value, dist = "lattice", "elsewhere:ATTACK", None

    monkeypatch.setattr("isobreach._registry.entry_points", lambda group: [Point])
    again = Registry("attacks", "ATTACK", "isobreach.attacks:Attack", ATTACKS._parts)
    assert again["lattice"] is ATTACKS["lattice"]
    assert len(again) == len([name for name in ATTACKS if ATTACKS.built_in(name)])


def test_listing_says_what_each_does(attack):
    said = ATTACKS.summary(attack.name)
    assert len(said.split()) > 4
    assert "\n" not in said


def test_settings_are_checked_by_name(attack):
    assert is_dataclass(attack.settings)
    assert all(one.metadata["help"].endswith(".") for one in fields(attack.settings))
    with pytest.raises(InputError, match=f"settings must be those of the {attack.name} attack"):
        ib.reconstruct(attack.name, X, ib.Knowledge(known=X[:3]), no_such_setting=1)


def test_what_it_needs_is_asked_for(attack):
    everything = {"known": X[:3], "rows": [0, 1, 2], "sample": X[60:], "noise": 0.1}
    for held in attack.needs - {"known"}:
        rest = ib.Knowledge(**{name: value for name, value in everything.items() if name != held})
        with pytest.raises(InputError, match=rf"Give Knowledge\({held}=\.\.\.\)"):
            ib.reconstruct(attack.name, X, rest)
    if "known" in attack.needs:
        with pytest.raises(InputError, match=r"Give Knowledge\(known=\.\.\.\)"):
            ib.reconstruct(attack.name, X)


NOT_MOVED = {
    "several records": ReleaseModel("orthogonal", mixes_rows=True),
    "fewer columns": ReleaseModel("orthogonal", projection=2),
    "not keep distances": ReleaseModel(None),
}
OTHERS = [
    ReleaseModel("rigid", "gaussian"),
    ReleaseModel("orthogonal", permutation=True),
    ReleaseModel("rigid", distances=True),
    ReleaseModel(None, linear=True),
    ReleaseModel(None, linear=True, lifted=True),
    ReleaseModel(None, linear=True, projection=3),
    ReleaseModel(None, in_place=True),
    *(ReleaseModel(None, noise, in_place=True) for noise in ("gaussian", "uniform", "multiplicative", "components")),
    ReleaseModel(None, mixes_rows=True, keeps_moments=True),
]
BY_DISTANCES = ("known-input", "known-input-output", "alignment", "kaplan", "lattice", "procrustes", "wong")


@pytest.mark.parametrize("reason", NOT_MOVED)
@pytest.mark.parametrize("name", BY_DISTANCES)
def test_what_attacks_by_distances_cannot_work_on_is_a_reason(name, reason):
    assert reason in ATTACKS[name].suits(NOT_MOVED[reason])
    assert ATTACKS[name].suits(ReleaseModel("rigid")) is None


def test_what_it_cannot_work_on_is_a_reason_and_no_exception(attack):
    reasons = [attack.suits(model) for model in (*NOT_MOVED.values(), *OTHERS)]
    assert None in [*reasons, attack.suits(ReleaseModel("rigid"))]
    assert all(one is None or (len(one.split()) > 4 and one[0].islower() and one[-1] != ".") for one in reasons)


def test_its_document_tells_what_it_found(attack):
    release = ib.perturb(X, "orthogonal", seed=0)
    told = {"rows": release.key.order[:4]} if "rows" in attack.needs else {}
    told |= {"sample": X[60:]} if "sample" in attack.needs else {}
    told |= {"noise": 0.1} if "noise" in attack.needs else {}
    data = release.data if attack.suits(ReleaseModel("rigid", distances=True)) else cdist(release.data, release.data)
    found = ib.reconstruct(attack.name, data, ib.Knowledge(known=X[:4], **told), seed=0)
    assert found.claimed == (attack.name in (*BY_DISTANCES, "regression", "lateration"))
    assert (found.asked.known, found.asked.shape) == (4, data.shape)
    document = attack.describe(found)
    assert isinstance(document, Document)
    assert document.verdict
    assert document.data["schema"].startswith("isobreach/")
    assert set(attack.labels(found)) <= set(range(found.estimates.shape[1]))
    assert found.reason.endswith(".")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([0], "rows must be one whole number for each of 2 known records"),
        ([0.0, 1.0], "rows must be one whole number for each of 2 known records"),
        ([0, 120], "rows must be from 0 to 119, or -1 where a row is not known"),
        ([-2, 0], "rows must be from 0 to 119, or -1 where a row is not known"),
    ],
)
def test_rows_of_known_records_are_checked(rows, message):
    with pytest.raises(InputError, match=message):
        ib.reconstruct("known-input", X, ib.Knowledge(known=X[:2], rows=rows))


def test_a_setting_cannot_take_the_name_of_an_option():
    from isobreach.cli.attack import _command

    @dataclass(frozen=True)
    class Settings:
        seed: int = setting(3, "Another seed.")

    class Greedy(type(ATTACKS["kaplan"])):
        settings = Settings

    with pytest.raises(InputError, match="seed must not be a setting of the attack kaplan"):
        _command(Greedy())


class _Raises(Attack):
    name = title = "odd"

    def __init__(self):
        raise ZeroDivisionError

    def run(self, release, knowledge, *, seed, progress, **settings):
        raise NotImplementedError


@dataclass(frozen=True)
class _Bare:
    depth: int


class _Returns(Attack):
    name = title = "odd"

    def __init__(self, found, settings=None):
        self.found = found
        if settings is not None:
            self.settings = settings

    def run(self, release, knowledge, *, seed, progress, **settings):
        return self.found


@pytest.mark.parametrize(
    ("loaded", "got"),
    [
        (_Raises, "ZeroDivisionError"),
        (object(), "an object that is no Attack"),
        (_Returns(None, settings=object), "settings that are no dataclass"),
        (_Returns(None, settings=_Bare), "a setting without a default, depth"),
    ],
)
def test_an_entry_that_is_no_attack_is_refused_in_one_line(monkeypatch, loaded, got):
    class Point:
        name, module, dist = "odd", "odd_package", None
        load = staticmethod(lambda: loaded)

    monkeypatch.setattr("isobreach._registry.entry_points", lambda group: [Point])
    again = Registry("attacks", "ATTACK", "isobreach.attacks:Attack", ATTACKS._parts)
    with pytest.raises(InputError, match=f"working entry of the installed package odd_package. Got {got}"):
        again["odd"]
    assert got in again.summary("odd") or "odd_package" in again.summary("odd")


@pytest.mark.parametrize(
    "found", [None, Reconstruction(True, "", np.zeros(5)), Reconstruction(True, "", np.zeros((3, 1)))], ids=str
)
def test_what_is_no_reconstruction_of_the_rows_is_refused(found):
    with pytest.raises(InputError, match="odd must give back a Reconstruction with a row of estimates for each of 120"):
        reconstruct(_Returns(found), as_engine(X), ib.Knowledge(), seed=0, progress=lambda *_: None, settings={})


@pytest.mark.parametrize("needs", [("known",), ["known"], {"known"}])
def test_what_an_attack_needs_may_be_any_collection_of_names(needs):
    """A tuple ended in a traceback when the command line listed the options."""
    kind = type("Needy", (Attack,), {"needs": needs})
    assert kind.needs == frozenset({"known"})


@pytest.mark.parametrize("needs", ["known", ("known", "keys")])
def test_what_is_no_collection_of_kinds_of_knowledge_is_refused(needs):
    with pytest.raises(InputError, match="needs of Needy must be a set of kinds of knowledge, of known, rows, "):
        type("Needy", (Attack,), {"needs": needs})
