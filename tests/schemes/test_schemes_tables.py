# SPDX-License-Identifier: BSD-3-Clause
"""Tables of any kind go in and come out again, names with them; ids stay with the key."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import isobreach as ib

VALUES = np.random.default_rng(0).standard_normal((30, 4)) + 5
COLUMNS = ["age", "income", "height", "weight"]
RELEASED = ["c1", "c2", "c3", "c4"]  # each mixes all four: their names would mislead
IDS = [f"person-{i}" for i in range(30)]

FRAMES = {
    "pandas": pd.DataFrame(VALUES, columns=COLUMNS),
    "polars": pl.DataFrame(VALUES, schema=COLUMNS),
    "arrow": pa.table(dict(zip(COLUMNS, VALUES.T, strict=True))),
}


def _values(frame):
    return frame.to_pandas().to_numpy() if isinstance(frame, pa.Table) else frame.to_numpy()


def _names(frame):
    return list(frame.column_names if isinstance(frame, pa.Table) else frame.columns)


@pytest.mark.parametrize("scheme", ["orthogonal", "rigid"])
@pytest.mark.parametrize("kind", list(FRAMES))
def test_a_frame_comes_back_as_it_was(kind, scheme):
    frame = FRAMES[kind]
    release = ib.perturb(frame, scheme, seed=0)
    back = ib.invert(release.key, release.data)
    assert type(release.data) is type(back) is type(frame)
    assert (_names(release.data), _names(back)) == (RELEASED, COLUMNS)
    np.testing.assert_array_equal(_values(release.data), ib.perturb(VALUES, scheme, seed=0).data)
    np.testing.assert_allclose(_values(back), VALUES, atol=1e-9)


@pytest.mark.parametrize("kind", list(FRAMES))
def test_noise_stays_in_the_records_of_a_frame(kind):
    frame = FRAMES[kind]
    release = ib.perturb(frame, ib.schemes.Noisy(noise=0.01), seed=0)
    back = ib.invert(release.key, release.data)
    assert type(release.data) is type(back) is type(frame)
    assert (_names(release.data), _names(back)) == (RELEASED, COLUMNS)
    error = _values(back) - VALUES
    assert 0 < abs(error).max() < 6 * release.key.noise


@pytest.mark.parametrize("kind", list(FRAMES))
def test_a_wider_release_has_names_of_its_own(kind):
    """None of its columns belongs to an attribute, and there are more of them."""
    release = ib.perturb(FRAMES[kind], ib.schemes.Rigid(width=6), seed=0)
    assert _names(release.data) == ["c1", "c2", "c3", "c4", "c5", "c6"]
    back = ib.invert(release.key, release.data)
    assert _names(back) == COLUMNS
    np.testing.assert_allclose(_values(back), VALUES, atol=1e-9)
    key = ib.perturb(VALUES, ib.schemes.Rigid(width=6), seed=0).key  # of an array, without names
    assert _names(ib.invert(key, release.data)) == ["c1", "c2", "c3", "c4"]


@pytest.mark.parametrize("ids", [IDS, np.arange(30) + 987_654_321_000], ids=["text", "numbers"])
def test_ids_are_kept_in_the_key_and_never_in_the_release(ids):
    frame = FRAMES["pandas"].set_index(pd.Index(ids))
    release = ib.perturb(frame, "rigid", seed=0)
    assert release.data.index.equals(pd.RangeIndex(30))
    assert not any(str(label) in release.data.to_csv() for label in ids)
    back = ib.invert(release.key, release.data)
    assert back.index.tolist() == list(ids)
    np.testing.assert_allclose(back.loc[ids].to_numpy(), VALUES, atol=1e-9)


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_columns_of_text_are_never_in_the_release(kind):
    frame = {
        "pandas": lambda: FRAMES["pandas"].assign(name=IDS),
        "polars": lambda: FRAMES["polars"].with_columns(pl.Series("name", IDS)),
        "arrow": lambda: FRAMES["arrow"].append_column("name", pa.array(IDS)),
    }[kind]()
    with pytest.warns(ib.LeftOutWarning, match="X: columns were left out: 'name'"):
        release = ib.perturb(frame, "rigid", seed=0)
    assert _names(release.data) == RELEASED
    assert release.left_out == ("name",)


def test_arrays_stay_arrays_without_names():
    release = ib.perturb(VALUES, "rigid", seed=0)
    assert type(release.data) is np.ndarray
    assert (release.key.columns, release.key.ids) == (None, None)
    assert type(ib.invert(release.key, release.data)) is np.ndarray


def test_an_array_release_of_a_frame_still_has_its_owner_names():
    """The release went through a file without names."""
    frame = FRAMES["pandas"].set_index(pd.Index(IDS))
    release = ib.perturb(frame, "rigid", seed=0)
    back = ib.invert(release.key, pd.DataFrame(release.data.to_numpy()))
    assert back.columns.tolist() == COLUMNS
    assert back.index.tolist() == IDS


@pytest.mark.parametrize("kind", list(FRAMES))
def test_links_and_estimates_speak_the_known_tables_language(kind):
    frame = FRAMES[kind]
    release = ib.perturb(frame, "orthogonal", seed=0)
    known = frame[:5] if kind != "arrow" else frame.slice(0, 5)
    assert ib.link(known, release.data).rows.tolist() == release.key.order[:5].tolist()
    result = ib.attack(known, release.data, epsilon=0.1, seed=0)
    assert type(result.estimates) is type(frame)
    assert _names(result.estimates) == COLUMNS
    np.testing.assert_allclose(_values(result.estimates)[release.key.order], VALUES, atol=1e-9)
    np.testing.assert_allclose(_values(result.estimate([3])), _values(result.estimates)[[3]], atol=1e-12)


def test_ids_of_known_and_released_rows_come_out_again():
    release = ib.perturb(VALUES, "orthogonal", seed=0)
    known = pd.DataFrame(VALUES[:5], columns=COLUMNS, index=IDS[:5])
    released = pd.DataFrame(release.data, columns=COLUMNS, index=[f"row-{i}" for i in range(30)])
    result = ib.attack(known, released, seed=0)
    assert result.linkage.known_ids.tolist() == IDS[:5]
    assert result.linkage.released_ids.tolist() == released.index.tolist()
    assert result.estimate([4, 2]).index.tolist() == ["row-4", "row-2"]
