# SPDX-License-Identifier: BSD-3-Clause
"""Progress where there is no terminal: plain lines, a few, and none of them on stdout."""

import time

from isobreach.cli import console
from isobreach.cli.console import Console


def test_a_log_gets_a_line_now_and_then(monkeypatch, capsys):
    monkeypatch.setattr(console, "_PAUSE", 0.1)
    speaker = Console(json_only=False, quiet=False)
    with speaker.bars():
        with speaker.work("reading people.csv"):
            time.sleep(0.25)
        speaker.progress("measuring residuals", 1_500, 6_000)
        time.sleep(0.25)
    shown = capsys.readouterr()
    assert shown.out == ""
    lines = shown.err.splitlines()
    assert 2 <= len(lines) <= 5
    assert lines[0] == "... reading people.csv"
    assert lines[-1] == "... measuring residuals: 1,500 of 6,000"


def test_short_work_and_quiet_work_say_nothing(monkeypatch, capsys):
    with Console(json_only=False, quiet=False).bars():
        pass
    monkeypatch.setattr(console, "_PAUSE", 0.01)
    with Console(json_only=False, quiet=True).bars():
        time.sleep(0.05)
    assert capsys.readouterr().err == ""
