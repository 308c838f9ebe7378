# SPDX-License-Identifier: BSD-3-Clause
"""Whatever happened to a file, reading gives what was written or one line that names it; nothing waits for a pipe."""

import io
import os
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isobreach.errors import InputError, OutputError
from isobreach.io import FileStore, alone, read_key, read_ranges, read_table, write_key
from isobreach.schemes import Key, perturb

OTHER = perturb(np.random.default_rng(0).standard_normal((6, 3)), "random-projection", seed=1).key
KEY = perturb(np.random.default_rng(0).standard_normal((6, 3)), "rigid", seed=1).key
KEPT = {"fingerprint": np.arange(500), "seed": np.array(7), "trials.figures": np.linspace(0, 1, 60).reshape(20, 3)}


def archive(arrays, compression=zipfile.ZIP_STORED):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as members:
        for name, array in arrays.items():
            member = io.BytesIO()
            np.save(member, array)
            members.writestr(f"{name}.npy", member.getvalue())
    return bytearray(file.getvalue())


def unknown_method(content):
    central = content.rfind(b"PK\x01\x02")
    content[8:10] = content[central + 10 : central + 12] = b"\x63\x00"
    return content


def encrypted(content):
    content[6] |= 1
    content[content.rfind(b"PK\x01\x02") + 8] |= 1
    return content


def broken_stream(content):
    content[60:90] = bytes(range(200, 230))
    return content


def endless_array(content):
    return content.replace(b"(500,), }", b"(9" + b"0" * 3 + b",), }", 1)


DAMAGE = [unknown_method, encrypted, broken_stream, endless_array, lambda content: content[: len(content) // 2]]


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_damaged_archives_are_one_line(tmp_path, damage, compression):
    content = bytes(damage(archive({"fingerprint": np.arange(500)}, compression)))
    for name in ("kept", "key", "table.npy"):
        (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=r"kept must be the unfinished work of an audit. Got a damaged file. Remove"):
        FileStore(tmp_path / "kept").load()
    with pytest.raises(InputError, match="key must be a file that isobreach perturb --key wrote"):
        read_key(tmp_path / "key")
    with pytest.raises(InputError, match=r"released must be a \.npy file of real numbers"):
        read_table(tmp_path / "table.npy", name="released")


@given(st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), min_size=1, max_size=8))
@pytest.mark.parametrize("key", [KEY, OTHER])
def test_a_key_with_other_bytes_is_the_same_key_or_none(tmp_path_factory, key, changes):
    path = tmp_path_factory.mktemp("keys") / "key"
    write_key(path, key)
    content = bytearray(path.read_bytes())
    for place, byte in changes:
        content[int(place * len(content))] = byte
    path.write_bytes(content)
    try:
        again = read_key(path)
    except InputError:
        return
    rows = np.ones((6, key.width))
    np.testing.assert_array_equal(again.invert(rows), key.invert(rows))


@pytest.mark.parametrize(
    "changes",
    [
        {"trials.figures": KEPT["trials.figures"].T},
        {"trials.figures": KEPT["trials.figures"][:-1]},
        {"trials.figures": KEPT["trials.figures"].astype(np.float32)},
        {"trials.figures": KEPT["trials.figures"].astype(str)},
        {"seed": np.array([7, 8])},
        {"more": np.zeros(3)},
    ],
)
def test_kept_work_that_was_edited_is_refused(tmp_path, changes):
    store = FileStore(tmp_path / "kept")
    store.keep(KEPT)
    with np.load(tmp_path / "kept") as file:
        arrays = {name: file[name] for name in file.files}
    with (tmp_path / "kept").open("wb") as file:
        np.savez(file, **{**arrays, **changes})
    with pytest.raises(InputError, match=r"must be the unfinished work of an audit\. Got a damaged file"):
        store.load()


ORTHONORMAL = "key must have a rotation with orthonormal columns, within 1e-06"
REAL = "key must have a rotation and a translation of finite floating-point numbers"
WRONG = {
    "nan": ({"rotation": np.full((3, 3), np.nan)}, REAL),
    "complex": ({"rotation": np.eye(3) + 0j}, REAL),
    "strings": ({"rotation": np.eye(3).astype(str)}, REAL),
    "booleans": ({"rotation": np.eye(3) > 0}, REAL),
    "whole numbers": ({"rotation": np.eye(3, dtype=int)}, REAL),
    "infinite translation": ({"translation": np.full(3, np.inf)}, REAL),
    "translation of strings": ({"translation": np.array(["a", "b", "c"])}, REAL),
    "ones": ({"rotation": np.ones((3, 3))}, ORTHONORMAL),
    "scaled": ({"rotation": 1.001 * KEY.rotation}, ORTHONORMAL),
    "sheared": ({"rotation": KEY.rotation + 1e-5 * np.eye(3)}, ORTHONORMAL),
    "order of booleans": ({"order": np.array([False, True])}, "key must order the rows"),
    "order of floats": ({"order": np.arange(6.0)}, "key must order the rows"),
    "order of strings": ({"order": np.arange(6).astype(str)}, "key must order the rows"),
    "no columns": (
        {"rotation": np.zeros((0, 0)), "translation": np.zeros(0)},
        "key must have a rotation with at least",
    ),
    "columns": ({"columns": ("a", "b")}, "key must have one name a column, 3, or none"),
    "ids": ({"ids": np.array(["x"])}, "key must have one name a record, 6, or none"),
    "square ids": ({"ids": np.zeros((6, 6), dtype=int)}, "key must have one name a record, 6, or none"),
    "scheme": ({"scheme": 5}, "key must name its scheme"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_key_that_could_not_undo_a_release_is_refused_wherever_it_comes_from(tmp_path, case):
    changes, message = WRONG[case]
    fields = {name: getattr(KEY, name) for name in ("scheme", "rotation", "translation", "order", "scale", "noise")}
    with pytest.raises(InputError, match=message):
        Key(**(fields | changes))
    with (tmp_path / "key").open("wb") as file:
        np.savez(file, isobreach_key=2, **(fields | changes))
    with pytest.raises(InputError, match=message):
        read_key(tmp_path / "key")


WRONG_SECRETS = {
    "no shape": ({"shape": (3,)}, "key must have two numbers of columns"),
    "empty shape": ({"shape": (3, 0)}, "key must have two numbers of columns"),
    "shape of floats": ({"shape": (3.0, 12.0)}, "key must have two numbers of columns"),
    "secret of strings": ({"matrix": np.full((12, 3), "a")}, "key must have secrets of finite floating-point numbers"),
    "secret of nan": ({"matrix": np.full((12, 3), np.nan)}, "key must have secrets of finite floating-point numbers"),
    "order": ({"order": np.zeros(6, dtype=int)}, "key must order the rows"),
    "square order": ({"order": np.eye(6, dtype=int)}, "key must have an order of its rows"),
    "columns": ({"columns": ("a", "b")}, "key must have one name a column, 3, or none"),
    "noise": ({"noise": np.nan}, "key must have a finite scale > 0 and a finite noise >= 0"),
    "secret of another shape": ({"matrix": np.ones((2, 2))}, "key must hold what the scheme random-projection drew"),
    "another scheme": ({"scheme": "affine"}, "scheme must be one of orthogonal, "),
}


@pytest.mark.parametrize("case", WRONG_SECRETS)
def test_a_key_of_other_secrets_is_refused_when_it_is_read_or_used(tmp_path, case):
    changes, message = WRONG_SECRETS[case]
    fields = {"scheme": OTHER.scheme, "shape": OTHER.shape, "order": OTHER.order, **OTHER.secrets} | changes
    with (tmp_path / "key").open("wb") as file:
        np.savez(
            file,
            isobreach_key=3,
            **{f"secret.{name}" if name == "matrix" else name: one for name, one in fields.items()},
        )
    with pytest.raises(InputError, match=message):
        read_key(tmp_path / "key").invert(np.ones((6, 12)))


@pytest.mark.parametrize("version", [np.array([1, 2]), np.array("2"), np.array(2.0), np.array(True)])
def test_a_version_that_is_no_whole_number_is_refused(tmp_path, version):
    fields = {name: getattr(KEY, name) for name in ("scheme", "rotation", "translation", "order")}
    with (tmp_path / "key").open("wb") as file:
        np.savez(file, isobreach_key=version, **fields)
    with pytest.raises(InputError, match=r"key must have format version 1, 2 or 3\. Got no whole number"):
        read_key(tmp_path / "key")


def test_a_rotation_in_single_precision_is_a_rotation():
    rotation = np.linalg.qr(np.random.default_rng(0).standard_normal((400, 400)))[0].astype(np.float32)
    assert Key("rigid", rotation, np.zeros(400), np.arange(2)).rotation is rotation


@pytest.mark.parametrize("name", ["table.csv", "table.parquet", "table.npy"])
def test_pipes_and_devices_are_refused_without_opening_them(tmp_path, name):
    os.mkfifo(tmp_path / name)
    (tmp_path / f"zero.{name}").symlink_to("/dev/zero")
    for path in (tmp_path / name, tmp_path / f"zero.{name}"):
        with pytest.raises(InputError, match=f"released must be a regular file. Got {path}. Pipes, devices and"):
            read_table(path, name="released")
        with pytest.raises(InputError, match=f"--bounds must be a regular file. Got {path}"):
            read_ranges(str(path), "--bounds")


def test_a_pipe_among_the_parts_of_a_folder_is_refused(tmp_path):
    os.mkfifo(tmp_path / "part.parquet")
    with pytest.raises(InputError, match="released must be a regular file"):
        read_table(tmp_path, name="released")


def test_a_pipe_in_the_place_of_kept_work_a_key_or_a_lock_is_refused(tmp_path):
    os.mkfifo(tmp_path / "kept")
    os.mkfifo(tmp_path / ".out.lock")
    with pytest.raises(InputError, match="kept must be the unfinished work of an audit"):
        FileStore(tmp_path / "kept").load()
    with pytest.raises(OutputError, match=r"kept is not a regular file. Choose another path."):
        FileStore(tmp_path / "kept").keep(KEPT)
    with pytest.raises(InputError, match="key must be an existing file"):
        read_key(tmp_path / "kept")
    with pytest.raises(OutputError, match=r"out\.lock is in the way"), alone(tmp_path / "out"):
        pass
