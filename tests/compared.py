# SPDX-License-Identifier: BSD-3-Clause
"""A comparison of full size whose figures are made up: for pages, which compute nothing."""

import numpy as np

from isobreach._reports import ComparisonReport
from isobreach.audits import CellFigures, Sampled, SchemeFigures, Utility

COLUMNS = 16
WHY = "the release does not keep distances"


def comparison(schemes=23, attacks=20, *, seed=0, classified=True):
    """Schemes of all standings, attacks that suit and do not, names as long as there are."""
    rng = np.random.default_rng(seed)
    names = [f"scheme-{k}" for k in range(schemes - 1)] + ["multiplicative-noise <b>"]
    attackers = [f"attack-{k}" for k in range(attacks - 1)] + ["known-input-output"]
    cells, figures = [], []
    for place, name in enumerate(names):
        refused = "it must be positive" if place == 5 else None
        used = (1.0,) * 4 if place % 3 == 0 else rng.uniform(0.2, 1, 4).tolist()
        accuracy = (0.8, 0.9) if classified else (None, None)
        utility = None if refused else Utility(*used, *accuracy)
        keeps, unfolds = ("distances",) * (place % 3 == 0), place % 4 == 2
        figures.append(SchemeFigures(name, name, {"noise": 0.2}, keeps, refused, utility, unfolds=unfolds))
        strength = rng.choice([0.0, 0.0, 0.2, 1.0])
        for attack in attackers:
            if refused:
                cells.append(CellFigures(name, attack, f"the scheme cannot protect this table: {refused}"))
            elif rng.random() < 0.3:
                cells.append(CellFigures(name, attack, WHY))
            else:
                value = float(strength * rng.choice([0.0003, 0.03, 0.5, 1.0]))
                told = Sampled(value, max(value - 0.02, 0.0), min(value + 0.03, 1.0))
                error = float(rng.uniform(0, 2))
                own = {"learned": rng.random(COLUMNS), "privacy": rng.random(COLUMNS), "claimed": 1.0, "seconds": 0.5}
                cells.append(CellFigures(name, attack, None, "regression, length, clipped", 20, told, error, **own))
    return ComparisonReport(
        rows=18668,
        columns=COLUMNS,
        published=2000,
        compared=1000,
        epsilon=0.1,
        known=8,
        sample=500,
        sample_asked=500,
        trials=20,
        seed=0,
        costly_trials=4,
        utility_trials=4,
        effort=1000,
        schemes=tuple(figures),
        attacks=tuple(attackers),
        cells=tuple(cells),
        blind=0.001,
        label="class" if classified else None,
    )
