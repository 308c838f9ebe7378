# SPDX-License-Identifier: BSD-3-Clause
"""What packages that protect vectors say of themselves, checked against their own installed documents."""

from dataclasses import dataclass
from importlib.metadata import distribution, version
from pathlib import Path

README = "README"  # the description in the package's metadata, as PyPI shows it


@dataclass(frozen=True)
class Fact:
    """What a package says: our words, where it says so, and a few of its own words by which that is checked.

    Attributes
    ----------
    package
        Its name on PyPI.
    said
        The fact, in our words.
    where
        ``README``, or a file of the package.
    section
        Heading or object under which it stands.
    words
        Words of the document that must occur there.
    """

    package: str
    said: str
    where: str
    section: str
    words: tuple[str, ...]

    @property
    def stands(self) -> str:
        """Where a reader finds it."""
        place = "README on PyPI" if self.where == README else self.where
        return f"{place}, {self.section}"

    def check(self) -> None:
        """Stop where the installed version no longer says so."""
        text = " ".join(document(self.package, self.where).split())
        missing = [one for one in self.words if one not in text]
        if missing:
            raise SystemExit(f"{self.package} {version(self.package)}: {self.where} no longer says {missing[0]!r}")


FACTS = (
    Fact(
        "turboquant-vectors",
        "d pairs of an original and its rotated vector (1,536 for vectors of 1,536 numbers) give the key",
        README,
        "What it does NOT protect against",
        ("d original-rotated pairs", "1,536 for OpenAI embeddings"),
    ),
    Fact(
        "turboquant-vectors",
        "unsupervised alignment without pairs reaches a cosine of 0.004",
        README,
        "What it protects against",
        ("cosine recovery of 0.004",),
    ),
    Fact(
        "hadamask",
        "as many pairs of text and vector as there are dimensions give the map exactly",
        README,
        "Security model",
        ("plaintext–vector pairs (as many as the dimension)", "recovered exactly"),
    ),
    Fact(
        "hadamask",
        "without pairs, public vectors of the same kind tell the topic, one of four, with accuracy 0.81 to 0.87",
        README,
        "Security model",
        ("median four-way topic accuracy of 0.81–0.87",),
    ),
    Fact(
        "privrag-guard",
        "16, 32, 64 and 128 leaked pairs of 64 dimensions give cosines of 0.26, 0.50, 0.95 and 0.99",
        README,
        "What this does and does not protect",
        ("Measured at d=64", "0.26 → 0.50 → **0.95** → 0.99 for 16 → 32 → 64 → 128 leaked pairs"),
    ),
    Fact(
        "ironcore-alloy",
        "no number of records is named; a larger approximation factor is more secure, and the square root of the "
        "largest entry is where to start",
        "ironcore_alloy/ironcore_alloy.py",
        "VectorSecret",
        ("A higher approximation factor is more secure", "A lower bound for the approximation factor to start with"),
    ),
    Fact(
        "quiver-client",
        "experimental and not semantically secure; broken by known plaintext or strong priors; no number is named",
        "quiver/dcpe.py",
        "warning at the top",
        ("not_ semantically secure", "broken by known-plaintext or strong-prior adversaries"),
    ),
    Fact(
        "pymasq",
        "an irreversible perturbation with an empirical guarantee against reconstruction; no number is named",
        "pymasq/mitigations/geom_transform.py",
        "geom_transform",
        ("is an irreversible input perturbation mechanism", "against data reconstruction attacks"),
    ),
)


def document(package: str, where: str) -> str:
    """Return a document of an installed package."""
    installed = distribution(package)
    if where == README:
        return str(installed.metadata.get_payload())
    return Path(str(installed.locate_file(where))).read_text(encoding="utf-8")


def licence(package: str) -> str:
    """Return what an installed package says of its licence."""
    told = distribution(package).metadata
    named = [one.rpartition(":: ")[2] for one in told.get_all("Classifier") or () if one.startswith("License ::")]
    text = str(told["License-Expression"] or (named[0] if named else told["License"]))
    return f"see its {text}" if text.endswith(".txt") else text
