# SPDX-License-Identifier: BSD-3-Clause
"""Release models: what follows from their fields."""

import pytest

from isobreach.errors import InputError
from isobreach.schemes import SCHEMES, ReleaseModel

FIELDS = {
    "motion": ReleaseModel("rigid"),
    "noise": ReleaseModel("orthogonal", noise="gaussian"),
    "cut": ReleaseModel("orthogonal", projection=3),
    "projected": ReleaseModel(None, linear=True, projection=3),
    "linear": ReleaseModel(None, linear=True),
    "lifted": ReleaseModel(None, linear=True, lifted=True),
    "mixed": ReleaseModel(None, mixes_rows=True, keeps_moments=True),
    "in place": ReleaseModel(None, noise="gaussian", in_place=True),
    "distances": ReleaseModel("rigid", distances=True),
    "unknown": ReleaseModel(None),
}
REASONS = {
    "cut": "the release has fewer columns than the records",
    "projected": "a random projection keeps distances on average only",
    "linear": "a general linear map keeps no distances",
    "lifted": "records are lifted by their length, and a general matrix keeps no distances",
    "mixed": "a released row depends on several records",
    "in place": "the values are changed in their columns, and no motion hides them",
    "distances": "the release is a matrix of distances, not of rows",
    "unknown": "the release does not keep distances",
}


@pytest.mark.parametrize("kind", FIELDS)
def test_a_model_moves_or_says_why_not(kind):
    model = FIELDS[kind]
    assert model.unmoved == REASONS.get(kind)
    assert model.moves == (kind in ("motion", "noise"))
    assert model.maps == (kind in ("motion", "noise", "cut", "projected", "linear", "lifted"))


def test_what_is_kept_follows_from_the_fields():
    kept = {kind: model.keeps for kind, model in FIELDS.items() if model.keeps}
    assert kept == {"motion": ("distances",), "mixed": ("mean and covariance",), "distances": ("distances",)}
    assert ReleaseModel("orthogonal").keeps == ("norms", "distances", "inner products")


@pytest.mark.parametrize("changes", [{"motion": "rigid"}, {"motion": None, "linear": True}])
def test_values_in_their_places_stand_without_a_map(changes):
    with pytest.raises(InputError, match="in_place of a ReleaseModel must stand without a secret map"):
        ReleaseModel(in_place=True, **changes)


@pytest.mark.parametrize("name", [name for name in SCHEMES if SCHEMES.built_in(name)])
def test_every_scheme_of_ours_has_one_kind_of_model(name):
    """A motion, another map, a mixture of rows, values in their places: an attack's table has a reason for each."""
    model = SCHEMES[name].model
    kinds = [model.moves, model.maps and not model.moves, model.mixes_rows, model.in_place, model.distances]
    assert sum(kinds) == 1
    assert (model.unmoved is None) == model.moves
