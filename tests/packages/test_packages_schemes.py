# SPDX-License-Identifier: BSD-3-Clause
"""Packages as schemes: listed without being imported, refused in one line where they are missing, and truly described.

Vectors are digits of scikit-learn, 16 of their pixels: real, of unequal lengths and columns.
"""

import asyncio
import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pytest
from sklearn.datasets import load_digits

import isobreach as ib
from effort import slow
from isobreach.audits.declared import directions, shown
from isobreach.errors import InputError, MissingExtraError
from isobreach.packages.hadamask import Hadamask
from isobreach.packages.ironcore_alloy import IroncoreAlloy
from isobreach.packages.privrag_guard import PrivragGuard
from isobreach.packages.pymasq import Pymasq
from isobreach.packages.quiver_client import QuiverClient
from isobreach.packages.turboquant_vectors import TurboquantVectors
from isobreach.schemes import SCHEMES, perturb, scheme_by_name

WRAPPED = [TurboquantVectors, Hadamask, PrivragGuard, IroncoreAlloy, QuiverClient, Pymasq]
CASES = [
    (TurboquantVectors, {}),
    (TurboquantVectors, {"bits": 4}),
    (Hadamask, {}),
    (Hadamask, {"transform": "dense"}),
    (PrivragGuard, {}),
    (PrivragGuard, {"noise": 0.3}),
    (IroncoreAlloy, {}),
    (IroncoreAlloy, {"scaled": True, "beta": 2.0}),
    (QuiverClient, {"beta": 2.0}),
]
case = pytest.mark.parametrize(("kind", "parameters"), CASES, ids=lambda one: getattr(one, "name", str(one)))


@pytest.fixture(scope="module")
def records():
    return load_digits().data[:200, 24:40] + 1.0


def made(kind, **parameters):
    if find_spec(kind.module) is None:
        pytest.skip(f"{kind.package} is not installed: isobreach[{kind.extra}]")
    return kind(**parameters)


def test_they_are_listed_without_being_imported():
    modules = sorted(one.module for one in WRAPPED)
    code = (
        "import sys; from isobreach._registry import SCHEMES\n"
        f"print([name for name in SCHEMES if name.startswith('foreign:')], sorted({{*{modules!r}}} & {{*sys.modules}}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == f"{sorted(one.name for one in WRAPPED)} []\n"


@pytest.mark.parametrize("kind", WRAPPED, ids=lambda one: one.package)
def test_a_package_that_is_not_installed_is_named_with_what_installs_it(kind, monkeypatch):
    monkeypatch.setitem(sys.modules, kind.module, None)
    with pytest.raises(MissingExtraError, match=r"^The scheme foreign:\S+ needs \S+.*pip install '\.\[packages"):
        kind()


def test_by_command_that_is_one_line_and_exit_2(tmp_path):
    code = (
        "import sys; sys.modules['hadamask'] = None; from isobreach.cli import main\n"
        f"main(['perturb', 'letter', '--scheme', 'foreign:hadamask', '--out', {str(tmp_path / 'r.npy')!r},"
        f" '--key', {str(tmp_path / 'k')!r}])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "isobreach: The scheme foreign:hadamask needs hadamask. "
        "Install it in isobreach's folder: pip install '.[packages]'\n"
    )
    assert not list(tmp_path.iterdir())


@case
def test_a_package_does_what_its_model_and_key_say(records, kind, parameters):
    """An audit's own test, on the release; what the key gives back is the record, or its direction, up to the noise."""
    scheme = made(kind, **parameters)
    assert scheme == scheme_by_name(scheme.name, **parameters)
    release = perturb(records, scheme, 3)
    assert release.data.dtype == np.float32
    values = directions(records) if scheme.model.unit_length else records
    shown(scheme, values, release)
    left = release.key.invert(release.data) - values
    level = np.sqrt(np.mean(left**2)) * release.key.scale
    # A key of a wider release projects the noise: none of these has both.
    if scheme.model.noise:
        assert level == pytest.approx(release.key.noise, rel=0.15)
    else:
        assert np.abs(left).max() <= 1e-5 * np.abs(values).max()
    if scheme.model.permutation:
        assert set(np.unique(release.key.rotation)) == {0.0, 1.0}


@case
def test_a_seed_repeats_a_release_and_another_seed_does_not(records, kind, parameters):
    scheme = made(kind, **parameters)
    first, again, other = (perturb(records[:40], scheme, seed).data for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("kind", [IroncoreAlloy, PrivragGuard], ids=lambda one: one.package)
def test_a_release_from_a_notebook_is_the_same(records, kind):
    """There a loop of events is running already."""
    scheme = made(kind)

    async def in_a_notebook():
        return perturb(records[:20], scheme, 1).data

    np.testing.assert_array_equal(asyncio.run(in_a_notebook()), perturb(records[:20], scheme, 1).data)


@pytest.mark.parametrize("kind", [IroncoreAlloy, QuiverClient], ids=lambda one: one.package)
def test_noise_is_uniform_in_the_ball_that_is_documented(records, kind):
    """Errors reach the radius s beta / 4 and never pass it; their mean square is that of a ball of n dimensions."""
    scheme = made(kind, beta=2.0)
    release = perturb(records, scheme, 0)
    key, n = release.key, records.shape[1]
    lengths = np.linalg.norm(release.data[key.order] - key.moved(records), axis=1) / (key.scale * scheme.beta / 4)
    assert 0.98 < lengths.max() <= 1 + 1e-5
    assert np.mean(lengths**2) == pytest.approx(n / (n + 2), abs=0.03)


def test_hadamask_pads_and_turboquant_loses_lengths(records):
    assert perturb(records[:, :11], Hadamask(), 0).data.shape == (200, 16)
    assert perturb(records[:, :11], Hadamask(transform="dense"), 0).data.shape == (200, 11)
    lengths = np.linalg.norm(perturb(records, TurboquantVectors(), 0).data, axis=1)
    assert np.abs(lengths - 1).max() < 1e-6


@pytest.mark.parametrize(
    ("kind", "parameters", "message"),
    [
        (TurboquantVectors, {"bits": 9}, "bits must be at most 8. Got 9."),
        (TurboquantVectors, {"bits": 0}, "bits must be a whole number >= 1. Got 0."),
        (Hadamask, {"transform": "haar"}, "transform must be one of hadamard, dense. Got 'haar'."),
        (PrivragGuard, {"noise": 0.5}, "noise must be from 0 to 0.45 for the scheme foreign:privrag-guard. Got 0.5."),
    ],
)
def test_parameters_that_a_package_does_not_take(kind, parameters, message):
    with pytest.raises(InputError) as error:
        made(kind, **parameters)
    assert str(error.value) == message


def test_records_that_a_package_does_not_take(records):
    for kind in (TurboquantVectors, PrivragGuard):
        with pytest.raises(
            InputError, match=r"must have records with a direction .* 1 of zeros only; the first is row"
        ):
            perturb(np.where(np.arange(200)[:, None] == 2, 0.0, records), kind(), 0)
    with pytest.raises(InputError, match=r"X must be a table that turboquant-vectors takes\. Got one that it ref"):
        perturb(records * 1e100, TurboquantVectors(), 0)


def test_pymasq_is_refused_where_its_search_would_not_end(records):
    scheme = made(Pymasq)
    with pytest.raises(InputError, match="X must have 24 columns or fewer for foreign:pymasq"):
        scheme.check_size(np.hstack([records, records]))
    with pytest.raises(InputError, match="equal values in column 2"):
        scheme.check_size(np.where(np.arange(16) == 1, 7.0, records))


@pytest.mark.parametrize(("package", "own"), [("hadamask", "orthogonal"), *slow(("privrag-guard", "orthogonal-noise"))])
def test_an_audit_of_a_package_says_what_one_of_our_own_scheme_says(records, package, own):
    """Both do the same to a record, but for the rotation, which no figure of an audit depends on, and for rounding."""
    few = {"coalition_sizes": [4], "trials": 4, "samples": (), "attacks": (), "splits": 2, "seed": 0}
    report, expected = (ib.audit(records, scheme=scheme, **few) for scheme in (f"foreign:{package}", own))
    assert (report.scheme, report.motion, report.noise) == (f"foreign:{package}", "orthogonal", expected.noise)
    got, want = (one.per_size[-1].worst_mean.value for one in (report, expected))
    assert got == pytest.approx(want, rel=0.2 if report.noise else 1e-3)


@pytest.mark.slow
def test_an_audit_of_quantised_rotated_vectors_plays(records):
    few = {"coalition_sizes": [4, 16], "trials": 4, "samples": (), "attacks": (), "splits": 2, "seed": 0}
    report = ib.audit(records, scheme=TurboquantVectors(bits=4), **few)
    assert report.unit_length
    assert report.noise


def test_every_wrapped_package_is_registered():
    for kind in WRAPPED:
        assert kind.name in SCHEMES
        assert not SCHEMES.built_in(kind.name)
        assert kind.name.removeprefix("foreign:") == kind.package.partition(",")[0].partition("[")[0]
