# SPDX-License-Identifier: BSD-3-Clause
import os
import stat

import numpy as np
import pytest

from isobreach.errors import InputError, MissingExtraError, OutputError
from isobreach.io import read_key, write_key
from isobreach.schemes import SCHEMES, Key, perturb


def make_key(**changes):
    fields = {
        "scheme": "rigid",
        "rotation": np.array([[0.6, -0.8], [0.8, 0.6]]),
        "translation": np.array([0.1, -2.0]),
        "order": np.array([2, 0, 1]),
        "columns": ("a", "b"),
        "ids": np.array(["p", "q", "r"]),
    }
    return Key(**(fields | changes))


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"columns": None, "ids": None},
        {"ids": np.array([7, 8, 9])},
        {"ids": np.array(["p", "q", "r"], dtype=object)},
        {"scheme": "ball", "scale": 3.5, "noise": 0.125},
        {"rotation": np.eye(4)[:, 1:3], "translation": np.arange(4.0)},
    ],
)
def test_a_key_round_trips(tmp_path, changes):
    key = make_key(**changes)
    write_key(tmp_path / "key", key)
    again = read_key(tmp_path / "key")
    assert again.scheme == key.scheme
    assert again.columns == key.columns
    assert (again.scale, again.noise) == (key.scale, key.noise)
    for field in ("rotation", "translation", "order"):
        np.testing.assert_array_equal(getattr(again, field), getattr(key, field))
        assert getattr(again, field).dtype == getattr(key, field).dtype
    assert (again.ids is None) == (key.ids is None)
    assert key.ids is None or again.ids.tolist() == key.ids.tolist()
    assert again.ids is None or again.ids.dtype.kind in "iU"


def test_only_the_owner_may_read_a_key_whatever_the_umask(tmp_path):
    before = os.umask(0)
    try:
        write_key(tmp_path / "key", make_key())
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "key").stat().st_mode) == 0o600


def test_a_key_is_not_overwritten_by_accident(tmp_path):
    write_key(tmp_path / "key", make_key())
    with pytest.raises(OutputError, match=r"exists. Use force=True"):
        write_key(tmp_path / "key", make_key(scheme="other"))
    assert read_key(tmp_path / "key").scheme == "rigid"
    write_key(tmp_path / "key", make_key(scheme="other"), force=True)
    assert read_key(tmp_path / "key").scheme == "other"


def test_the_same_key_gives_the_same_bytes(tmp_path):
    write_key(tmp_path / "one", make_key())
    write_key(tmp_path / "two", make_key())
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def save(path, **fields):
    with path.open("wb") as file:
        np.savez(file, **fields)


def test_what_is_not_a_key_file_is_refused(tmp_path):
    path = tmp_path / "key"
    with pytest.raises(InputError, match=r"key must be an existing file. Got .*key"):
        read_key(path)
    message = r"key must be a file that isobreach perturb --key wrote. Got .*key"
    for content in (b"", b"secret-4711", b"PK\x03\x04 but no archive"):
        path.write_bytes(content)
        with pytest.raises(InputError, match=message):
            read_key(path)
    np.save(tmp_path / "array.npy", np.eye(2))
    with pytest.raises(InputError, match=r"wrote"):
        read_key(tmp_path / "array.npy")
    save(path, rotation=np.eye(2))
    with pytest.raises(InputError, match=message):
        read_key(path)
    write_key(path, make_key(), force=True)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match=message):
        read_key(path)


def test_a_key_with_pickled_objects_is_refused(tmp_path):
    order = np.array([object()], dtype=object)
    save(tmp_path / "key", isobreach_key=1, scheme="x", rotation=np.eye(1), translation=np.ones(1), order=order)
    with pytest.raises(InputError, match=r"key must be a file that isobreach"):
        read_key(tmp_path / "key")


def test_a_later_format_is_refused_by_its_number(tmp_path):
    save(tmp_path / "key", isobreach_key=4, scheme="x", rotation=1, translation=1, order=1)
    with pytest.raises(InputError, match=r"key must have format version 1, 2 or 3. Got 4. Update isobreach."):
        read_key(tmp_path / "key")


def test_the_first_format_is_still_read(tmp_path):
    """It knew motions alone: no scale, no noise."""
    old = make_key()
    arrays = {field: getattr(old, field) for field in ("scheme", "rotation", "translation", "order", "columns", "ids")}
    save(tmp_path / "key", isobreach_key=1, **arrays)
    key = read_key(tmp_path / "key")
    assert (key.scheme, key.scale, key.noise, key.columns) == ("rigid", 1.0, 0.0, ("a", "b"))
    np.testing.assert_array_equal(key.apply(np.eye(3)[:, :2]), old.apply(np.eye(3)[:, :2]))


@pytest.mark.parametrize("field", ["scale", "noise"])
def test_a_number_that_is_none_is_refused(tmp_path, field):
    arrays = {"scheme": "x", "rotation": np.eye(1), "translation": np.ones(1), "order": np.arange(1)}
    for wrong in (np.nan, "much", np.ones(2)):
        save(tmp_path / "key", isobreach_key=2, **arrays, **{field: wrong})
        with pytest.raises(InputError, match=r"key must"):
            read_key(tmp_path / "key")


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_scheme_s_key_round_trips(tmp_path, scheme):
    records = np.random.default_rng(0).exponential(1, (9, 4))
    try:
        release = perturb(records, scheme, seed=0)
    except MissingExtraError as error:
        pytest.skip(str(error))
    write_key(tmp_path / "key", release.key)
    again = read_key(tmp_path / "key")
    assert repr(again) == repr(release.key)
    np.testing.assert_equal(inverted(again, release.data), inverted(release.key, release.data))


def inverted(key, released):
    """The records, or why this key does not give them back."""
    try:
        return key.invert(released)
    except InputError as error:
        return str(error)
