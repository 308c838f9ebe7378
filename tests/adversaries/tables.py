# SPDX-License-Identifier: BSD-3-Clause
"""Tables of many kinds, small enough that an audit of one takes seconds, and how each is published.

A table is made anew from a fixed seed; only in `panel` are people twice on purpose. ``sizes`` are the numbers of
insiders that are tried, ``sample`` is the size of the public sample, ``releases`` are the schemes behind which it is
published.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from sklearn import datasets as sklearn_datasets

import isobreach as ib
from isobreach.schemes import (
    Aspe,
    ComponentNoise,
    DistanceMatrix,
    Geometric,
    MultiplicativeNoise,
    Noisy,
    Orthogonal,
    OrthogonalNoise,
    Permutation,
    Rigid,
)


@dataclass(frozen=True)
class Table:
    make: Callable[[np.random.Generator], np.ndarray]
    releases: tuple = (Orthogonal(),)
    sizes: tuple = (2,)
    epsilon: float = 0.15
    sample: int = 200

    @cached_property
    def records(self):
        return self.make(np.random.default_rng(0))


def _no_zero_record(bits):
    bits[bits.sum(axis=1) == 0, 0] = 1
    return bits


def dense_bits(rng):
    return _no_zero_record(rng.integers(0, 2, (600, 10)).astype(float))


def sparse_bits(rng):
    return _no_zero_record((rng.random((600, 12)) < 0.25).astype(float))


def answers(rng):
    """Answers from 1 to 5, each as likely as any other."""
    return rng.integers(1, 6, (600, 8)).astype(float)


def counts(rng):
    """Whole numbers with a quarter of a step of jitter to both sides."""
    whole = rng.poisson(3, (600, 8)).astype(float)
    return whole + rng.uniform(-0.25, 0.25, whole.shape)


def codes(rng):
    """Hospital records: ten codes, in each of which one value is the most common, and six kinds of patients."""
    kinds = rng.integers(0, 5, (6, 10))
    patient = kinds[rng.choice(6, 700, p=[0.4, 0.2, 0.15, 0.1, 0.1, 0.05])]
    return 1.0 + np.where(rng.random(patient.shape) < 0.15, rng.integers(0, 5, patient.shape), patient)


def standard_codes(rng):
    """The same standardised: every column has its own step."""
    values = codes(rng)
    return (values - values.mean(axis=0)) / values.std(axis=0)


def categories(rng):
    """Four attributes of four categories each, one-hot."""
    chosen = [rng.choice(4, 600, p=rng.dirichlet([1, 1, 1, 1])) for _ in range(4)]
    return np.hstack([np.eye(4)[choice] for choice in chosen])


def choices(rng):
    """Five attributes of three categories each, one-hot."""
    chosen = [rng.choice(3, 700, p=rng.dirichlet([4, 4, 4])) for _ in range(5)]
    return np.hstack([np.eye(3)[choice] for choice in chosen])


def prices(rng):
    """Each of a short and uneven list; the cents make the grid of all values fine."""
    values = np.array([0.99, 2.45, 4.90, 9.75, 19.99])
    return np.column_stack([rng.choice(values, 700, p=rng.dirichlet([3] * 5)) for _ in range(8)])


def rankings(rng):
    """Seven things ranked, some of them more popular."""
    liking = rng.normal(size=(600, 7)) + np.linspace(0, 1.5, 7)
    return liking.argsort(axis=1).argsort(axis=1) + 1.0


def exponential(rng):
    return rng.exponential(1, (2000, 8))


def waiting_times(rng):
    """Exponential too, in fewer columns: three insiders leave three dimensions."""
    return rng.exponential(1, (1000, 6))


def incomes(rng):
    return np.exp(rng.normal(0, 0.8, (2000, 10)))


def fortunes(rng):
    """Very skewed."""
    return np.exp(1.5 * rng.normal(size=(300, 5)))


def spending(rng):
    """Amounts of households, large ones in everything; many zeros, which go together."""
    taste = 0.8 * rng.normal(size=(800, 1)) + rng.normal(size=(800, 6))
    amounts = np.exp(rng.normal(0, 1, (800, 1)) + 0.5 * taste) * np.arange(1, 7) ** 0.3
    spent = np.where(taste + rng.normal(0, 0.5, taste.shape) < -0.35, 0, amounts)
    spent[spent.sum(axis=1) == 0, 0] = 1
    return spent


def budgets(rng):
    """Shares of a household's budget; a third of them are zero, and tastes go together."""
    taste = 0.8 * rng.normal(size=(800, 1)) * np.linspace(-1, 1, 7) + rng.normal(size=(800, 7))
    amounts = np.exp(0.7 * taste) * np.arange(1, 8) ** 0.3
    spent = np.where(taste + rng.normal(0, 0.5, taste.shape) < -0.6, 0, amounts)
    spent[spent.sum(axis=1) == 0, 0] = 1
    return spent / spent.sum(axis=1, keepdims=True)


def accounts(rng):
    """Three amounts and their total, and once more; large accounts are large in everything."""
    parts = np.exp(rng.normal(0, 0.5, (700, 1)) + 0.6 * rng.normal(size=(700, 6))) * np.array([3, 2, 1, 2, 1.5, 1])
    first, second = parts[:, :3], parts[:, 3:]
    return np.column_stack([first, first.sum(axis=1), second, second.sum(axis=1)])


def marks(rng):
    """Homework, test, project, exam, and the mark: 0.15, 0.25, 0.2 and 0.4 of them; two others and theirs."""
    parts = 100 - 10 * np.exp(0.4 * rng.normal(size=(500, 1)) + 0.6 * rng.normal(size=(500, 6)))
    return np.column_stack(
        [parts[:, :4], parts[:, :4] @ [0.15, 0.25, 0.2, 0.4], parts[:, 4:], parts[:, 4:] @ [0.3, 0.7]]
    )


def log_accounts(rng):
    """Logarithms of two amounts and their sum, and once more; two measurements that depend on them."""
    amounts = np.exp(rng.normal(0, 0.5, (700, 1)) + 0.7 * rng.normal(size=(700, 4))) * np.array([60, 40, 40, 30])
    first, second = amounts[:, :2], amounts[:, 2:]
    sums = [one.sum(axis=1, keepdims=True) for one in (first, second)]
    measured = 3 + rng.normal(size=(700, 2)) + 0.3 * np.log(first)
    return np.hstack([np.log(np.hstack([first, sums[0], second, sums[1]])), measured])


def gaps(rng):
    """Four measurements, a quarter of each missing and filled with the mean; four flags say where."""
    values = 1 + rng.normal(size=(800, 4)) @ (np.eye(4) + 0.4 * rng.normal(size=(4, 4)))
    lost = rng.random((800, 4)) < 0.25
    means = np.nanmean(np.where(lost, np.nan, values), axis=0)
    return np.hstack([np.where(lost, means, values), lost])


def specialists(rng):
    """Customers of whom half buy one kind of thing, the others two or three."""
    kinds = rng.choice([1, 2, 3], (800, 1), p=[0.55, 0.3, 0.15])
    amounts = np.exp(rng.normal(0, 1, (800, 1)) + 0.5 * rng.normal(size=(800, 8)))
    rank = (rng.random((800, 8)) * np.linspace(1, 1.5, 8)).argsort(axis=1).argsort(axis=1)
    return np.where(rank < kinds, amounts, 0.0)


def panel(rng):
    """Nearly isotropic; six of a hundred are in the table twice."""
    people = 0.3 + rng.normal(size=(800, 8)) * np.linspace(0.9, 1.1, 8)
    people[-48:] = people[:48]
    return people


def angles(rng):
    """Hour, weekday, month and direction as cosine and sine; they depend on one another."""
    turns = rng.uniform(0, 2 * np.pi, (600, 1)) + rng.normal(0, 1.2, (600, 4))
    return np.stack([np.cos(turns), np.sin(turns)], axis=2).reshape(600, 8)


def parcels(rng):
    """Width, depth and height, the areas of three sides, and the square of the width."""
    sides = np.exp(0.3 * rng.normal(size=(600, 1)) + 0.35 * rng.normal(size=(600, 3)))
    return np.column_stack([sides, sides * np.roll(sides, -1, axis=1), sides[:, 0] ** 2])


def interactions(rng):
    """Columns of a regression: four that correlate, three of their products, a square; all standardised."""
    four = rng.normal(size=(800, 4)) @ (np.eye(4) + 0.3 * rng.normal(size=(4, 4)))
    terms = np.column_stack([four, four[:, :3] * four[:, 1:], four[:, 0] ** 2])
    return (terms - terms.mean(axis=0)) / terms.std(axis=0)


def clinic(rng):
    """Height, weight and their index, waist and hip and their ratio, age, pressure."""
    height, fat = rng.normal(1.72, 0.09, 800), rng.normal(size=800)
    weight = 22 * height**2 * np.exp(0.15 * fat + 0.08 * rng.normal(size=800))
    waist, hip = 60 + 25 * np.exp(0.3 * fat) + 4 * rng.normal(size=800), 95 + 8 * fat + 4 * rng.normal(size=800)
    rest = rng.uniform(20, 80, 800), 120 + 8 * fat + 10 * rng.normal(size=800)
    return np.column_stack([100 * height, weight, weight / height**2, waist, hip, 100 * waist / hip, *rest])


def walks(rng):
    """Twelve months, each the month before and a shock."""
    return np.cumsum(rng.normal(size=(2000, 12)), axis=1)


def readings(rng):
    """The same patient measured twelve times; a reading forgets a fifth of the one before."""
    values = rng.normal(size=(2000, 12)) * np.r_[1, np.full(11, 0.6)]
    for step in range(1, 12):
        values[:, step] += 0.8 * values[:, step - 1]
    return values


def portfolios(rng):
    """Eight positions, long or short, each up to the wealth of its owner."""
    return np.exp(rng.normal(0, 1, (1000, 1))) * rng.uniform(-1, 1, (1000, 8))


def standardised(rng):
    """Eight measurements of two causes, each with mean zero and variance one: what many owners turn."""
    values = rng.normal(size=(700, 2)) @ rng.normal(size=(2, 8)) + 0.7 * rng.normal(size=(700, 8))
    return (values - values.mean(axis=0)) / values.std(axis=0)


def normalised(rng):
    """The same, from 0 to 1."""
    values = standardised(rng)
    return (values - values.min(axis=0)) / np.ptp(values, axis=0)


def centred(rng):
    """The same, from -1 to 1."""
    return 2 * normalised(rng) - 1


def t_scores(rng):
    """The same as test scores: mean 50, deviation 10."""
    return 50 + 10 * standardised(rng)


def percent(rng):
    """The same in percent of the way from the least to the greatest value."""
    return 100 * normalised(rng)


def capped(rng):
    """Amounts that depend on one another; a tenth of each is above a limit, and published as that limit."""
    amounts = np.exp(0.5 * rng.normal(size=(700, 1)) + 0.6 * rng.normal(size=(700, 8)))
    return np.minimum(amounts, np.quantile(amounts, 0.9, axis=0))


def regions(rng):
    """Three measurements of a person, and three figures of the region where he or she lives."""
    region = rng.choice(15, 700, p=rng.dirichlet([2] * 15))
    figures = 3 + rng.normal(size=(15, 3))
    return np.hstack([2 + rng.normal(size=(700, 3)) + 0.5 * figures[region], figures[region]])


def prepared(rng):
    """Six measurements that correlate, standardised, and four flags that depend on them."""
    values = rng.normal(size=(700, 3)) @ rng.normal(size=(3, 6)) + 0.7 * rng.normal(size=(700, 6))
    flags = 0.5 * values[:, :4] + rng.normal(size=(700, 4)) > np.array([0, 0.5, 1, -0.5])
    return np.hstack([(values - values.mean(axis=0)) / values.std(axis=0), flags])


def register(rng):
    """Age, visits and a score, all whole numbers; four measurements, which depend on one another and on age."""
    age = rng.integers(18, 91, 700)
    causes = rng.normal(size=(700, 2)) + 0.02 * (age[:, None] - 50)
    visits, score = rng.poisson(40 + 10 * np.abs(causes[:, 0])), rng.integers(0, 60, 700) + np.rint(5 * causes[:, 1])
    weights = np.array([[1, 0.5, -0.6, 0.8], [0.3, -0.9, 0.7, 0.4]])
    return np.column_stack([age, visits, score, 60 + 20 * (causes @ weights + 0.6 * rng.normal(size=(700, 4)))])


def jittered(rng):
    """Four counts, moved by up to a tenth of a step, and four measurements; they depend on one another."""
    cause = rng.normal(size=(700, 2))
    counts = rng.poisson(np.exp(1.1 + 0.3 * cause[:, [0, 1, 0, 1]]))
    measured = 4 + 2 * (cause @ rng.normal(size=(2, 4)) + 0.5 * rng.normal(size=(700, 4)))
    return np.hstack([counts + rng.uniform(-0.1, 0.1, counts.shape), measured])


def visits(rng):
    """Three measurements at a first visit and at a second, where four of ten are as they were; two others."""
    first = 5 + rng.normal(size=(500, 3)) @ rng.normal(size=(3, 3))
    changed = first + 0.3 + 0.7 * rng.normal(size=first.shape)
    return np.hstack([first, np.where(rng.random(first.shape) < 0.4, first, changed), 8 + rng.normal(size=(500, 2))])


def uniform(rng):
    return rng.uniform(0, 100, (800, 8))


def heavy_tails(rng):
    return rng.standard_t(2, (800, 6))


def clusters(rng):
    centres = 4 * rng.standard_normal((10, 8))
    return centres[rng.integers(0, 10, 800)] + 0.4 * rng.standard_normal((800, 8))


def sizes(rng):
    """Columns of very different size: an income, an age, some rates."""
    scale = np.array([30000, 40, 5, 1, 0.5])
    return scale * (1 + 0.3 * rng.standard_normal((600, 5)))


def unlike_columns(rng):
    """Independent columns, each with a distribution of its own."""
    size = 1500
    return np.column_stack(
        [
            rng.exponential(2, size),
            rng.uniform(0, 5, size),
            np.exp(rng.normal(0, 0.7, size)),
            rng.choice([-1.0, 3.0], size, p=[0.7, 0.3]) + 0.3 * rng.standard_normal(size),
            4 - rng.exponential(1, size),
            rng.laplace(1, 0.8, size),
        ]
    )


def gaussian(rng):
    """Correlated, with a mean."""
    mixing = rng.standard_normal((8, 8)) * 0.7 ** np.arange(8)[:, None]
    return rng.standard_normal((800, 8)) @ mixing + rng.standard_normal(8)


def low_rank(rng):
    """Twelve measurements of three causes."""
    return 1 + rng.standard_normal((600, 3)) @ rng.standard_normal((3, 12)) + 0.05 * rng.standard_normal((600, 12))


def letter(rng):
    values = ib.datasets.load("letter").values.astype(float)
    return values[rng.choice(len(values), 1000, replace=False)]


def letter_jitter(rng):
    """A full step of jitter: no grid is left."""
    values = letter(rng)
    return values + rng.uniform(0, 1, values.shape)


def digits(rng):
    """The middle of the images, with jitter."""
    middle = sklearn_datasets.load_digits().images[:, 2:6, 2:6].reshape(-1, 16)
    some = middle[rng.choice(len(middle), 1000, replace=False)]
    return some + rng.uniform(0, 1, some.shape)


def _standardised(values, rng):
    values = (values - values.mean(axis=0)) / values.std(axis=0)
    return values + 0.05 * rng.standard_normal(values.shape)  # continuous: the values themselves are rounded


def cancer(rng):
    return _standardised(sklearn_datasets.load_breast_cancer().data[:, :10], rng)


def diabetes(rng):
    return _standardised(sklearn_datasets.load_diabetes().data, rng)


def wine(rng):
    return _standardised(sklearn_datasets.load_wine().data, rng)


def iris(rng):
    return sklearn_datasets.load_iris().data + rng.uniform(-0.05, 0.05, (150, 4))


TABLES = {
    "dense bits": Table(dense_bits, (Noisy(0.3),), (8, 20), 0.1),
    "sparse bits": Table(sparse_bits, (Noisy(0.3), OrthogonalNoise(0.3)), (30,), 0.1),
    "answers": Table(answers, (Noisy(0.2),), (8, 16), 0.05),
    "counts": Table(counts, (Orthogonal(),), (16,), 0.1),
    "codes": Table(codes, (Orthogonal(), Noisy(0.4)), (3, 20), 0.1),
    "standard codes": Table(standard_codes, (Rigid(),), (3,)),
    "categories": Table(categories, (Noisy(0.6),), (40,), 0.1),
    "choices": Table(choices, (Noisy(0.6),), (30,), 0.1),
    "prices": Table(prices, (Noisy(0.2),), (30,), 0.05),
    "rankings": Table(rankings, (Noisy(0.25),), (20,), 0.05),
    "exponential": Table(exponential),
    "waiting times": Table(waiting_times, sizes=(3,), epsilon=0.1),
    "incomes": Table(incomes, (Rigid(),), (3,)),
    "fortunes": Table(fortunes, (Rigid(),), (3,), 0.4, 100),
    "spending": Table(spending),
    "budgets": Table(budgets, (Orthogonal(), Rigid())),
    "accounts": Table(accounts, (Orthogonal(), Rigid()), (5,)),
    "marks": Table(marks, (Orthogonal(), Rigid()), (5,), 0.03),
    "log accounts": Table(log_accounts, (Orthogonal(), Rigid()), (4,), 0.03),
    "gaps": Table(gaps, (Orthogonal(), Rigid())),
    "specialists": Table(specialists, (Orthogonal(), Rigid()), (6,)),
    "panel": Table(panel, (Rigid(),)),
    "angles": Table(angles),
    "parcels": Table(parcels, (Orthogonal(), Rigid())),
    "interactions": Table(interactions),
    "clinic": Table(clinic, sizes=(3,), epsilon=0.03),
    "walks": Table(walks, (Orthogonal(), Rigid())),
    "readings": Table(readings),
    "portfolios": Table(portfolios),
    "standardised": Table(standardised, (Orthogonal(), Rigid()), (5,)),
    "normalised": Table(normalised, (Orthogonal(), Rigid()), (5,), 0.1),
    "centred": Table(centred, (Orthogonal(), Rigid()), (5,), 0.1),
    "t scores": Table(t_scores, (Orthogonal(), Rigid()), (5,), 0.05),
    "percent": Table(percent, (Orthogonal(), Rigid()), (5,), 0.1),
    "capped": Table(capped, (Orthogonal(), Rigid())),
    "regions": Table(regions, (Orthogonal(), Rigid()), (3,), 0.1),
    "prepared": Table(prepared, (Orthogonal(), Rigid()), (4,)),
    "register": Table(register, (Orthogonal(), Rigid()), (4,), 0.05),
    "jittered": Table(jittered, (Orthogonal(), Rigid()), (5,), 0.05),
    "visits": Table(visits, (Orthogonal(), Rigid()), (5,), 0.05),
    "uniform": Table(uniform, (Orthogonal(),), (4,), 0.1),
    "heavy tails": Table(heavy_tails, (Noisy(0.1),), (2, 12), 0.2),
    "clusters": Table(clusters, (Orthogonal(), Noisy(0.2), ComponentNoise(), MultiplicativeNoise()), (2, 16)),
    "sizes": Table(sizes, (Orthogonal(),), (1,)),
    "unlike columns": Table(unlike_columns, (Orthogonal(), Permutation()), (2,), 0.1),
    "gaussian": Table(
        gaussian, (Orthogonal(), Noisy(0.1), MultiplicativeNoise(), Geometric(), Aspe(), DistanceMatrix()), (2, 16)
    ),
    "low rank": Table(low_rank, (Noisy(0.3),), (24,), 0.2),
    "letter": Table(letter, (Orthogonal(),), (4,)),
    "letter jitter": Table(letter_jitter, (Orthogonal(),), (2, 18)),
    "digits": Table(digits, sizes=(2,)),
    "cancer": Table(cancer, (Rigid(),), (4,)),
    "diabetes": Table(diabetes, (Orthogonal(),), (2,)),
    "wine": Table(wine, (Orthogonal(),), (4,), 0.2, 50),
    "iris": Table(iris, (Rigid(), Orthogonal()), (3,), 0.1, 50),
}
