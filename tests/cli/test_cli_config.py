# SPDX-License-Identifier: BSD-3-Clause
"""Options in a file do what they do on the command line, and what is typed wins."""

import json

import click
import pytest

from isobreach.cli.app import app


def write(folder, text, name="isobreach.toml"):
    path = folder / name
    path.write_text(text)
    return path


def commands(group=app, path=()):
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        else:
            yield " ".join((*path, name)), command


def test_every_command_has_it():
    for path, command in commands():
        names = {option for one in command.get_params(click.Context(command)) for option in one.opts}
        assert "--config" in names, path


def test_a_file_says_what_options_say(case, run):
    table = (case.folder / "people.csv", "--seed", 0, "--json", "--quiet")
    typed = (
        "--id-column", "name", "--epsilon", 0.2, "--coalitions", "1,2", "--trials", 3, "--samples", 0, "--attacks",
        "known-input", "--columns", "age,height,weight", "--rows-known", "--scheme", "orthogonal",
    )  # fmt: skip
    text = """
        id-column = "name"
        epsilon = 0.2
        coalitions = [1, 2]
        trials = 3
        samples = 0
        attacks = "known-input"
        columns = ["age", "height", "weight"]
        rows_known = true
        scheme = "orthogonal"
        """
    expected = run("audit", *table, *typed)
    assert expected.code == 0, expected.err
    config = write(case.folder, text)
    done = run("audit", *table, "--config", config, "--out", case.folder / "out")
    assert (done.code, done.out) == (0, expected.out)
    again = json.loads((case.folder / "out" / "run.json").read_text())["command_line"].split()
    for word in ("--epsilon", "0.2", "--coalitions", "1,2", "--rows-known", "--columns", "age,height,weight"):
        assert word in again
    assert "--config" not in again
    won = run("audit", *table, "--config", config, "--epsilon", 0.3)
    assert won.json["epsilon"] == 0.3
    assert won.json["trials"] == 3


def test_one_file_serves_several_commands(case, run):
    config = write(
        case.folder,
        f"""
        quiet = true
        [link]
        known = "{case.known}"
        released = "{case.released}"
        id-column = "name"
        json = true
        [attack]
        released = "{case.released}"
        json = true
        [attack.known-input]
        known = "{case.known}"
        id-column = "name"
        epsilon = 0.25
        [attack.lattice]
        budget = 1
        """,
    )
    assert run("link", "--config", config).json["linked"] == 3
    assert run("attack", "--config", config).json["epsilon"] == 0.25
    assert run("attack", "--method", "known-input", "--config", config).json["epsilon"] == 0.25
    assert run("attack", "lattice", "--config", config).json["claimed"] in (True, False)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("epsilonn = 1", "--config must hold options of isobreach link. Got 'epsilonn'. See isobreach link --help."),
        ("toleranc = 1", "--config must hold options of isobreach link. Got 'toleranc'. Did you mean 'tolerance'?"),
        (
            "[linking]\nrule = 'backbone'",
            "--config must hold options of isobreach link. Got 'linking'. Did you mean 'link'?",
        ),
        ("config = 'x.toml'", "--config must hold options of isobreach link. Got 'config'."),
        ("quiet = 1", "--config must have true or false for quiet. Got 1."),
        ("tolerance = true", "--config must have a number, a text or a list of them for tolerance. Got bool."),
        ("tolerance = 'much'", "--tolerance must be a number. Got 'much'."),
        ("seed = 1.5", "--seed must be a whole number. Got '1.5'."),
        ("rule = 'best'", "--rule must be one of backbone, uniquely-valid. Got 'best'."),
        ("quiet = ", "--config must be TOML. Got Invalid value (at "),
        (None, "--config must be an existing file. Got "),
    ],
)
def test_a_wrong_file_is_one_line(case, run, text, message):
    config = case.folder / "none.toml" if text is None else write(case.folder, text)
    done = run("link", "--known", case.known, "--released", case.released, "--config", config)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert done.err.startswith(f"isobreach: {message}")
