# SPDX-License-Identifier: BSD-3-Clause
"""Schemes as scikit-learn transformers: one class for every scheme there is, ``RigidPerturbation`` for ``rigid``.

The classes are made when they are asked for, from the scheme's own fields: a scheme of another package has one too.
Rows keep their order, so that labels still fit them; whoever publishes the result shuffles both, or uses ``perturb``.
"""

from collections.abc import Sequence
from dataclasses import fields, replace
from inspect import Parameter, Signature
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from isobreach._random import random_source
from isobreach._validation import check_seed
from isobreach.schemes import SCHEMES, AnyKey, Scheme, perturb, scheme_by_name

_SUFFIX = "Perturbation"
_OWN = """

    Parameters
    ----------
    {parameters}
    random_state
        Whole number that makes key and noise repeatable, and guessable: for experiments only. None takes both from the
        operating system's secure source.

    Attributes
    ----------
    key_
        What undoes it, drawn by ``fit``: keep it secret. It goes with every later call of ``transform``.
    n_features_in_
        Number of columns.
    """


def class_names() -> dict[str, str]:
    """Return the scheme behind each class, by the name of the class; packages (``foreign:``) have none."""
    found = {f"{''.join(part.capitalize() for part in name.split('-'))}{_SUFFIX}": name for name in SCHEMES}
    return {class_name: name for class_name, name in found.items() if class_name.isidentifier()}


class Perturbation(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A scheme as a transformer: what all of them share."""

    scheme_name: str
    key_: AnyKey

    def _scheme(self) -> Scheme:
        given = {name: value for name, value in self.get_params().items() if name != "random_state"}
        return scheme_by_name(self.scheme_name, **given)

    def fit(self, X: Any, y: object = None) -> "Perturbation":
        """Draw the key.

        Parameters
        ----------
        X
            The table, of numbers.
        y
            Not looked at.
        """
        scheme = self._scheme()
        # Noise is relative to the spread of the table: one record has none.
        rows = max(scheme.least_rows, 2 if scheme.draws_noise else 1)
        least = {"ensure_min_samples": rows, "ensure_min_features": scheme.least_columns}
        records = validate_data(self, X, dtype=np.float64, ensure_non_negative=scheme.not_negative, **least)
        if scheme.model is not None and scheme.model.unit_length:
            records = records[records.any(axis=1)]  # records of zeros have no direction, and stay zeros
        key = perturb(records, scheme, check_seed(self.get_params()["random_state"])).key
        self.key_ = replace(key, order=np.arange(len(records)))
        return self

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Return records under the key, in their order, with new noise if the scheme has any.

        Parameters
        ----------
        X
            Records of the table, or others.
        """
        check_is_fitted(self)
        records = validate_data(self, X, dtype=np.float64, reset=False)
        source = random_source(self.get_params()["random_state"], "noise")
        return self._scheme().rows(records, self.key_, source)

    def inverse_transform(self, X: Any) -> NDArray[np.float64]:
        """Return the records behind released rows; noise stays in them.

        Parameters
        ----------
        X
            Released rows, in any order.
        """
        check_is_fitted(self)
        return self.key_.back(check_array(X, dtype=np.float64))

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> NDArray[np.object_]:
        """Return the names of released columns: c1, c2, ... where each mixes all of the table's, else the table's own.

        Parameters
        ----------
        input_features
            Names of the table's columns; those of the table that ``fit`` saw by default.
        """
        check_is_fitted(self)
        if SCHEMES[self.scheme_name].in_place:
            return np.asarray(OneToOneFeatureMixin.get_feature_names_out(self, input_features))
        return np.array([f"c{j + 1}" for j in range(self.key_.width)], dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.non_deterministic = not SCHEMES[self.scheme_name].by_record
        tags.input_tags.positive_only = SCHEMES[self.scheme_name].not_negative
        return tags


def _made(class_name: str, name: str) -> type[Perturbation]:
    """Return the class of a scheme; its parameters are the scheme's."""
    scheme = SCHEMES[name]
    defaults = {one.name: one.default for one in fields(scheme)} | {"random_state": None}
    signature = Signature(
        [Parameter("self", Parameter.POSITIONAL_OR_KEYWORD)]
        + [Parameter(one, Parameter.KEYWORD_ONLY, default=value) for one, value in defaults.items()]
    )

    def __init__(self: Perturbation, **given: Any) -> None:  # noqa: N807
        bound = signature.bind(self, **given)
        for one, value in (defaults | bound.kwargs).items():
            setattr(self, one, value)

    __init__.__signature__ = signature  # type: ignore[attr-defined]
    described = "\n    ".join(f"{one.name}\n        {one.metadata.get('help', '')}" for one in fields(scheme))
    doc = f"{SCHEMES.summary(name)}, as a scikit-learn transformer.{_OWN.format(parameters=described)}"
    body = {"__init__": __init__, "__doc__": doc, "__module__": __name__, "scheme_name": name}
    return type(class_name, (Perturbation,), body)


def __getattr__(class_name: str) -> type[Perturbation]:
    names = class_names()
    if class_name not in names:
        raise AttributeError(f"module {__name__!r} has no attribute {class_name!r}")
    made = globals()[class_name] = _made(class_name, names[class_name])
    return made


def __dir__() -> list[str]:
    return sorted(class_names())
