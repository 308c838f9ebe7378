# SPDX-License-Identifier: BSD-3-Clause
"""Around an audit's figures: how they come about, what kind of figure each is, and what none of them says."""

from isobreach._registry import ATTACKS
from isobreach.audits import INSIDERS, AuditResult
from isobreach.report.audit_preparation import length_caveat
from isobreach.report.audit_words import attack_name, capital, of_a_part

_BY_INSIDERS = (
    (
        "Distance attack.",
        (
            "(known-input attack, closed form). A motion keeps all distances. Insiders compare the distances between "
            "their own records with those in the release and find their rows. These rows fix a part of the motion. The "
            "rest is guessed at random. Its figures are computed for many groups."
        ),
    ),
)
_BY_ALL = (
    (
        "Attackers who are played.",
        (
            "The table is split anew each time: a part is held out for whoever has a public sample, the rest is "
            "protected and attacked, and hits are counted against the truth. All attackers may refine their "
            "estimates: round them to a grid that shows, and keep them within ranges."
        ),
    ),
    (
        "Random groups and the worst group.",
        (
            "Insiders come in random orders; the first k of each are a group of k. The worst group is the worst of "
            "three greedy searches and of all random groups."
        ),
    ),
)


def method(result: AuditResult) -> list[tuple[str, str]]:
    """How the figures come about, a title and a text each; attacks say themselves how they work."""
    names = sorted({one.name for one in result.matrix.attackers}, key=lambda name: (name != INSIDERS, name))
    played = [(f"{capital(attack_name(name))}.", _explained(name)) for name in names]
    splits = [("Splits.", _split_words(result))] if result.matrix.splits else []
    return [*(_BY_INSIDERS if result.moves else ()), *played, *splits, *_BY_ALL]


def _split_words(result: AuditResult) -> str:
    """How many rows of the table a split releases and holds out, and what else is done there."""
    held, released = result.matrix.samples[-1], result.matrix.published
    kept = f"Each split releases {released:,} of {result.rows:,} rows"
    if held:
        more = "; whoever has fewer meets more rows" if released + held == result.rows else ""
        kept += f" and holds {held:,} out as public records{more}"
    return (
        f"{kept}. Insiders who are played know their own rows. Which attack is best is chosen on one half of the "
        "splits and measured on the other."
    )


def _explained(name: str) -> str:
    """How an attack works, after its name in the literature where owners read another."""
    attack = ATTACKS[name]
    known_as = f"({attack.title}). " if attack.plain else ""
    return known_as + (attack.explained or f"{ATTACKS.summary(name)}.")


_PLAYED = (
    (
        "The attacks that suit the scheme are those named on this page. “Not breached by these attacks” does not mean "
        "safe."
    ),
    (
        "No closed form tells what insiders achieve behind this scheme. Every group meets one of eight releases, "
        "plays all attacks that suit the scheme, and is counted by those estimates that breach the most."
    ),
    (
        "The worst groups are found by greedy search and among the random ones: there may be worse. Nothing is proven "
        "here."
    ),
)


def caveats(result: AuditResult) -> list[str]:
    """What the figures do not say."""
    if not result.moves:
        return [*_PLAYED, length_caveat(result)]
    lines = [
        (
            "Not being breached by these attacks is no proof of safety: other attacks, and attackers who know more, "
            "may succeed."
        ),
        (
            "A breach probability is over the attacker's guess of a hidden direction. One guess serves all records, so "
            "hits go together: a mean probability is an expected share of breaches, not a likely one."
        ),
        (
            "The worst groups are found by greedy search and among the random ones: there may be worse. What is proven "
            "holds for every group, and may be far above what any achieves."
        ),
        (
            "Attributes are learned by insiders who guess that what is hidden of them is zero or, where one or two "
            "dimensions are hidden, as large as it can be. Who knows how values are distributed may learn them more "
            "often; guessing the mean, which stands beside, may do better than insiders."
        ),
        length_caveat(result),
    ]
    if result.motion != "orthogonal":
        lines.append(
            "A translation hides lengths from the attacker. Probabilities here are the owner's: of an attacker who "
            "knows a record's length and guesses its hidden direction at random."
        )
    if result.noise:
        lines.append(
            "Insiders are supposed to know their own rows: under noise to find them takes too long to be tried in "
            "numbers. For insiders who have to search, the figures are upper bounds."
        )
        lines.append(
            "Noise is drawn anew for every group. Probabilities are over the guess of a hidden direction, for an "
            "attacker who knows how long the hidden part should be; one who also knows how records are distributed may "
            "do better."
        )
    lines += of_a_part(result)
    if result.remedies is not None:
        lines.append(
            "Noise and jitter were tried as remedies on a rotation without a translation, with insiders who know their "
            "own rows, and with attackers without insiders who know how much noise there is: for insiders who have "
            "to search, these breach rates are upper bounds."
        )
    return lines


def kinds(result: AuditResult) -> dict[str, str]:
    """What each kind of figure is."""
    given = "the noise drawn and rows known" if result.noise else "the links"
    said = {
        "breach probability": f"closed form, given {given}, of a group's hidden direction drawn at random"
        if result.moves
        else "counted: the share of a record's groups and releases that breach it",
        "random groups": "sampled: means over random groups with 95% intervals"
        + (" and draws of noise" if result.noise else ""),
        "closed form": "insiders who know what their records determine, and guess the rest at random",
        "worst found": "exact for the groups tried: at least this bad"
        + (
            " on average over draws of noise: greedy ones 32 releases each, random ones all together; smaller "
            "groups count, because insiders may leave records out"
            if result.noise and result.moves
            else ""
        ),
        "guessing rows": "the same groups, if they know all of their rows, which no guess of rows exceeds",
        "no group exceeds": "proven for every group of that size, distance attack only",
        "attributes": "counted on the records: on up to 1,000 others for each random group, with 95% intervals",
        "record's exposure": "sampled: mean over the random groups without it, with a 95% interval; first ranks "
        "are those of the highest means, so they tend to be too high",
        "fewest insiders": "of the sizes and groups tried; half of the random ones: sampled, 95% interval",
        "single insider": f"exact for the {result.insider.tried:,} insiders tried",
        "column means": f"counted on {'a random part of the' if result.part else 'all'} records",
        "random link": "sampled pairs of records, with a 95% interval",
    }
    if result.read_out(result.matrix.sizes[-1], result.matrix.samples[-1]) is not None:
        said["read"] = "counted on up to 500 others of each split: nearest by cosine of all that are published there"
    if not result.moves:
        del said["closed form"], said["guessing rows"], said["no group exceeds"]
    if result.remedies is not None:
        said["noise and jitter as remedies"] = (
            "mean breach probability over simulated releases, with 95% intervals; upper bounds for insiders who have "
            "to find their rows; attackers without insiders: counted on one release"
        )
    if result.matrix.splits:
        said["attackers played"] = (
            f"sampled: the attacks themselves on {result.matrix.splits} splits of the table, counted against the "
            "truth; the best is chosen on one half and measured on the other, with 95% intervals"
        )
        said["blind guess"] = "counted on all records"
    if result.readers:
        said["attackers without knowledge"] = "counted on one release"
    return said
