# SPDX-License-Identifier: BSD-3-Clause
"""Progress where there is no terminal: plain lines, a few, and none of them on stdout."""

import re
import time
from types import SimpleNamespace

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
    assert re.fullmatch(r"\.\.\. reading people\.csv \[\d+ s so far\]", lines[0])
    assert re.fullmatch(r"\.\.\. measuring residuals: 1,500 of 6,000 \[\d+ s so far\]", lines[-1])


def test_a_log_tells_the_time_that_has_passed_and_an_estimate_of_what_is_left(monkeypatch, capsys):
    """At the pace since a stage was first heard of: what an earlier run had done took no time of this one."""
    clock = iter([0.0, 10.0, *[210.0] * 1000])
    monkeypatch.setattr(console, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    speaker = Console(json_only=False, quiet=False)
    monkeypatch.setattr(console, "_PAUSE", 0.2)
    with speaker.bars():  # the clock says 0
        speaker.progress("attackers", 2, 8)  # 10
        speaker.progress("attackers", 4, 8)
        time.sleep(0.5)  # 210
    told = capsys.readouterr().err.splitlines()
    assert set(told) == {"... attackers: 4 of 8, about 7 min left [4 min so far]"}


def test_short_work_and_quiet_work_say_nothing(monkeypatch, capsys):
    with Console(json_only=False, quiet=False).bars():
        pass
    monkeypatch.setattr(console, "_PAUSE", 0.01)
    with Console(json_only=False, quiet=True).bars():
        time.sleep(0.05)
    assert capsys.readouterr().err == ""
