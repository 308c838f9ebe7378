# SPDX-License-Identifier: BSD-3-Clause
r"""What is left of a table's use: five measures, each 1 where all of it is left.

All of them read distances alone, which is what a table is published for behind a motion; of a release that *is* a
matrix of distances they are what it holds. Released distances are multiplied by the factor that brings them closest to
the original ones, for no clustering asks for a unit. Distances that then differ by rounding alone are the same: ties
are broken alike, so that a release that keeps distances has a utility of exactly 1.

*Distances*: 1 - sqrt(sum (s d' - d)^2 / sum d^2), over all pairs, d' released, s that factor: 1 - Kruskal's stress.
*Neighbours*: share of a record's ten nearest in the release that were as near in the original as its ten nearest there.
*k-means*, *single link*: adjusted Rand index (Hubert and Arabie 1985) of clusters of the release with clusters of the
original: 1 for the same, 0 on average for clusters that have nothing to do with each other. k-means starts at the
original clusters in both tables, in coordinates of classical scaling; single link is cut at as many clusters as the
widest gap of the original tree leaves. *Classifier*: accuracy of a vote of five neighbours, two thirds of the records
trained and the rest asked, before and after.
"""

import warnings
from dataclasses import astuple, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.linalg import eigh
from scipy.spatial.distance import pdist, squareform

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

NEIGHBOURS, VOTERS, CLUSTERS, MOST_LINKED = 10, 5, 8, 20  # set by hand
ROUNDING = 1e-9  # of the longest distance: products and sums of double precision err by less


@dataclass(frozen=True)
class Utility:
    """What a release keeps, 1 for everything; see the module's text.

    ``classifier``: accuracy after and before; None without classes.
    """

    distances: float
    neighbours: float
    k_means: float
    single_link: float
    classifier: float | None = None
    classifier_before: float | None = None

    @classmethod
    def mean(cls, several: "list[Utility]") -> "Utility":
        """The mean of each measure."""
        columns = zip(*map(astuple, several), strict=True)
        return cls(*(None if None in column else float(np.mean(column)) for column in columns))  # type: ignore[arg-type]


def distances_of(rows: NDArray[Any]) -> FloatArray:
    """All distances between rows, m x m."""
    return np.asarray(squareform(pdist(np.asarray(rows, dtype=np.float64))))


def utility(original: FloatArray, released: FloatArray, columns: int, classes: IntArray, seed: int) -> Utility:
    """Return what a release keeps.

    Parameters
    ----------
    original, released
        Distances between the records and between the rows that stand for them, m x m in the same order.
    columns
        Dimensions in which records are clustered, at most.
    classes
        Of the records, below zero for those without; empty where there are none.
    seed
        Of where k-means starts, and of who is trained.
    """
    factor, stress = _closest(original, released)
    same = np.abs(factor * released - original) <= ROUNDING * original.max()
    seen = np.where(same, original, factor * released)
    np.fill_diagonal(seen, 0.0)
    draws = np.random.default_rng(seed)
    trained = draws.permutation(len(original)) < 2 * len(original) // 3
    before, after = (_accuracy(table, classes, trained) for table in (original, seen))
    return Utility(
        distances=1.0 if same.all() else 1.0 - stress,
        neighbours=_neighbours(original, seen),
        k_means=_clusters(original, seen, columns, int(draws.integers(2**31))),
        single_link=_single_link(original, seen),
        classifier=after,
        classifier_before=before,
    )


def _closest(original: FloatArray, released: FloatArray) -> tuple[float, float]:
    """The factor that brings released distances closest to the original ones, and the stress that is left."""
    squares, whole = float(np.sum(released**2)), float(np.sum(original**2))
    if squares == 0:
        return 0.0, 1.0
    factor = float(np.sum(original * released)) / squares
    return factor, min(float(np.sqrt(np.sum((factor * released - original) ** 2) / whole)), 1.0)


def _neighbours(original: FloatArray, seen: FloatArray) -> float:
    from sklearn.neighbors import NearestNeighbors

    count = min(NEIGHBOURS, len(original) - 1)
    search = NearestNeighbors(n_neighbors=count, metric="precomputed")
    reach = search.fit(original).kneighbors()[0].max(axis=1, keepdims=True)
    found = search.fit(seen).kneighbors(return_distance=False)
    return float(np.mean(np.take_along_axis(original, found, axis=1) <= reach))


def _clusters(original: FloatArray, seen: FloatArray, columns: int, seed: int) -> float:
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.metrics import adjusted_rand_score

    places = [_scaled(table, columns) for table in (original, seen)]
    count = min(CLUSTERS, len(np.unique(places[0], axis=0)) // 2)
    if count < 2:
        return 1.0 if np.array_equal(places[0], places[1]) else 0.0
    labels = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # groups of equal rows are fewer than the clusters
        start = KMeans(count, n_init=4, random_state=seed).fit(places[0]).labels_
        for place in places:
            centres = np.stack([place[start == one].mean(axis=0) for one in range(count)])
            labels.append(KMeans(count, init=centres, n_init=1, random_state=seed).fit(place).labels_)
    return float(adjusted_rand_score(*labels))


def _scaled(distances: FloatArray, columns: int) -> FloatArray:
    """Points with these distances, as far as so many dimensions allow: classical scaling (Torgerson 1952)."""
    squares = distances**2
    centred = squares - squares.mean(axis=0)
    inner = -0.5 * (centred - centred.mean(axis=1, keepdims=True))
    total = len(inner)
    values, vectors = eigh(inner, subset_by_index=(max(total - columns, 0), total - 1))
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))


def _single_link(original: FloatArray, seen: FloatArray) -> float:
    from sklearn.metrics import adjusted_rand_score

    trees = [linkage(squareform(table, checks=False), "single") for table in (original, seen)]
    heights = trees[0][::-1, 2]  # at the k-th of them k clusters become k + 1
    most = min(MOST_LINKED, len(heights) - 1)
    gaps = heights[:most] - heights[1 : most + 1]
    count = int(np.argmax(gaps)) + 2 if most else 2
    return float(adjusted_rand_score(*(fcluster(tree, count, "maxclust") for tree in trees)))


def _accuracy(table: FloatArray, classes: IntArray, trained: NDArray[np.bool_]) -> float | None:
    from sklearn.neighbors import KNeighborsClassifier

    if not len(classes):
        return None
    votes, asked = trained & (classes >= 0), ~trained & (classes >= 0)
    if not (votes.any() and asked.any()):
        return None
    voters = min(VOTERS, int(votes.sum()))
    vote = KNeighborsClassifier(voters, metric="precomputed").fit(table[np.ix_(votes, votes)], classes[votes])
    return float(vote.score(table[np.ix_(asked, votes)], classes[asked]))
