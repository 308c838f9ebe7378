# SPDX-License-Identifier: BSD-3-Clause
import errno
import os
import stat
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from isobreach.errors import OutputError
from isobreach.io import alone, atomic_directory, atomic_file
from isobreach.io import atomic as atomic_module


@pytest.fixture
def umask():
    """Set the umask and put it back."""
    before = os.umask(0o022)
    yield os.umask
    os.umask(before)


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_a_file_appears_whole_and_alone(tmp_path):
    path = tmp_path / "out.csv"
    with atomic_file(path) as temporary:
        assert temporary.parent == tmp_path
        assert temporary.suffix == ".csv"
        temporary.write_text("all")
        assert not path.exists()
    assert path.read_text() == "all"
    assert list(tmp_path.iterdir()) == [path]


def stop_half_way(path, error):
    path.write_text("half")
    raise error


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("force", [False, True])
def test_whatever_ends_the_work_leaves_nothing_behind(tmp_path, error, force):
    path = tmp_path / "out"
    if force:
        path.write_text("old")
    with pytest.raises(error), atomic_file(path, force=force) as temporary:
        stop_half_way(temporary, error)
    assert [entry.read_text() for entry in tmp_path.iterdir()] == (["old"] if force else [])


def test_an_existing_file_is_replaced_only_by_force(tmp_path):
    path = tmp_path / "out"
    path.write_text("old")
    with pytest.raises(OutputError, match=r"out exists\. Use force=True to replace it\.$"), atomic_file(path):
        pytest.fail("the work was started for nothing")
    with atomic_file(path, force=True) as temporary:
        temporary.write_text("new")
    assert path.read_text() == "new"


@pytest.mark.parametrize("links", [True, False])
def test_a_file_that_appears_meanwhile_is_not_overwritten(tmp_path, links, monkeypatch):
    if not links:
        monkeypatch.setattr(Path, "hardlink_to", refuse_links)
    path = tmp_path / "out"
    with pytest.raises(OutputError, match=r"exists. Use force=True"), atomic_file(path) as temporary:
        write_both(temporary, path)
    assert path.read_text() == "theirs"
    assert list(tmp_path.iterdir()) == [path]


def write_both(mine, theirs):
    mine.write_text("mine")
    theirs.write_text("theirs")


def refuse_links(self, target):
    raise OSError(errno.EPERM, "no links here")


def test_file_systems_without_links_are_served(tmp_path, monkeypatch, umask):
    monkeypatch.setattr(Path, "hardlink_to", refuse_links)
    path = tmp_path / "out"
    with atomic_file(path, mode=0o600) as temporary:
        temporary.write_text("all")
    assert path.read_text() == "all"
    assert mode_of(path) == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_a_failed_claim_of_the_name_is_given_up(tmp_path, monkeypatch):
    def refuse(self, target):
        raise OSError(errno.EIO, "broken")

    monkeypatch.setattr(Path, "hardlink_to", refuse_links)
    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(OutputError, match=r"cannot be written"), atomic_file(tmp_path / "out"):
        pass
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("mask", "mode", "expected"),
    [
        (0, 0o600, 0o600),
        (0o022, 0o600, 0o600),
        (0, 0o644, 0o644),
        (0o077, 0o644, 0o600),
        (0o027, 0o644, 0o640),
    ],
)
def test_the_mode_is_final_from_the_start(tmp_path, umask, mask, mode, expected):
    umask(mask)
    path = tmp_path / "out"
    with atomic_file(path, mode=mode) as temporary:
        assert mode_of(temporary) == expected
        temporary.write_text("x")
    assert mode_of(path) == expected


def test_places_that_cannot_hold_a_file_are_refused_before_the_work(tmp_path):
    (tmp_path / "file").touch()
    for below in ("out", "no/out"):
        with (
            pytest.raises(OutputError, match=r"cannot be written: .*file is not a folder\. Choose another path\.$"),
            atomic_file(tmp_path / "file" / below),
        ):
            pytest.fail("the work was started for nothing")
    with pytest.raises(OutputError, match=r"is not a regular file"), atomic_file(tmp_path, force=True):
        pytest.fail("the work was started for nothing")
    with pytest.raises(OutputError, match=r"is not a regular file"), atomic_file("/dev/null", force=True):
        pytest.fail("the work was started for nothing")


@pytest.mark.parametrize("context", [atomic_file, atomic_directory])
def test_missing_folders_are_made_and_go_again_if_the_work_fails(tmp_path, context):
    path = tmp_path / "a" / "b" / "out"
    with pytest.raises(RuntimeError), alone(path), context(path):
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []
    with alone(path), context(path):
        pass
    assert [entry.name for entry in path.parent.iterdir()] == ["out"]
    with pytest.raises(RuntimeError), context(tmp_path / "a" / "c" / "out"):
        raise RuntimeError
    assert [entry.name for entry in (tmp_path / "a").iterdir()] == ["b"]


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EACCES, errno.EFBIG])
@pytest.mark.parametrize("context", [atomic_file, atomic_directory])
def test_an_operating_system_error_becomes_one_line(tmp_path, context, code):
    path = tmp_path / "out"
    with pytest.raises(OutputError) as caught, context(path):
        raise OSError(code, "details\nin two lines")
    assert str(caught.value) == f"{path} cannot be written: {os.strerror(code)}. Nothing was left behind."
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".npy", ".key"])
def test_a_disk_that_fills_up_leaves_nothing_behind(tmp_path, suffix):
    """A limit on the size of files stands for the full disk: writes fail half-way, with EFBIG."""
    script = f"""
        import os, resource, sys
        import numpy as np
        from isobreach.errors import OutputError
        from isobreach.io import atomic_file, write_table
        os.chdir(sys.argv[1])
        values = np.random.default_rng(0).normal(size=(20_000, 4))
        resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
        try:
            if {suffix!r} == ".key":
                with atomic_file("out.key") as temporary:
                    temporary.write_bytes(values.tobytes())
            else:
                write_table("out{suffix}", values, list("abcd"))
        except OutputError as error:
            sys.exit(str(error))
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script), tmp_path],
        capture_output=True,
        text=True,
        check=False,
    )
    reason = "the disk may be full" if suffix == ".npy" else "File too large"
    assert done.stderr == f"out{suffix} cannot be written: {reason}. Nothing was left behind.\n"
    assert list(tmp_path.iterdir()) == []


def test_a_directory_appears_whole(tmp_path, umask):
    path = tmp_path / "run"
    with atomic_directory(path) as temporary:
        assert temporary.parent == tmp_path
        (temporary / "figures").mkdir()
        (temporary / "figures" / "a.svg").write_text("a")
        assert not path.exists()
    assert (path / "figures" / "a.svg").read_text() == "a"
    assert mode_of(path) == 0o755
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_unfinished_directory_disappears_and_the_old_one_stays(tmp_path, error):
    path = tmp_path / "run"
    with pytest.raises(error), atomic_directory(path) as temporary:
        stop_half_way(temporary / "half", error)
    assert list(tmp_path.iterdir()) == []
    make_output(path, "old")
    with pytest.raises(error), atomic_directory(path, force=True) as temporary:
        stop_half_way(temporary / "half", error)
    assert (path / "run.json").read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def make_output(path, text):
    path.mkdir()
    (path / "run.json").write_text(text)


def test_force_replaces_an_earlier_output_and_nothing_else(tmp_path):
    path = tmp_path / "run"
    make_output(path, "old")
    (path / "report.html").write_text("gone")
    with pytest.raises(OutputError, match=r"exists. Use force=True to replace it."), atomic_directory(path):
        pytest.fail("the work was started for nothing")
    with atomic_directory(path, force=True) as temporary:
        (temporary / "run.json").write_text("new")
    assert [entry.name for entry in path.iterdir()] == ["run.json"]
    assert (path / "run.json").read_text() == "new"
    home = tmp_path / "home"
    home.mkdir()
    (home / "thesis.tex").write_text("years")
    with (
        pytest.raises(OutputError, match=r"is not an earlier output: it has no run.json"),
        atomic_directory(home, force=True),
    ):
        pytest.fail("the work was started for nothing")
    assert (home / "thesis.tex").read_text() == "years"
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["home", "run"]


def write_both_runs(mine, theirs):
    (mine / "run.json").write_text("mine")
    make_output(theirs, "theirs")


def test_a_directory_that_appears_meanwhile_is_not_overwritten(tmp_path):
    path = tmp_path / "run"
    with pytest.raises(OutputError, match=r"exists. Use force=True"), atomic_directory(path) as temporary:
        write_both_runs(temporary, path)
    assert (path / "run.json").read_text() == "theirs"
    assert list(tmp_path.iterdir()) == [path]


def test_the_old_directory_comes_back_when_the_swap_fails(tmp_path, monkeypatch):
    path = tmp_path / "run"
    make_output(path, "old")
    rename = Path.rename

    def fail_once(self, target):
        if target == path and self.joinpath("run.json").read_text() == "new":
            raise OSError(errno.EIO, "broken")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", fail_once)
    with (
        pytest.raises(OutputError, match=r"cannot be written"),
        atomic_directory(path, force=True) as temporary,
    ):
        (temporary / "run.json").write_text("new")
    assert (path / "run.json").read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_contents_are_on_the_disk_before_they_get_their_name(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr(atomic_module, "_sync", lambda path: synced.append((path, (tmp_path / "out").exists())))
    with atomic_file(tmp_path / "out") as temporary:
        pass
    assert synced == [(temporary, False), (tmp_path, True)]
