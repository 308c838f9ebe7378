# SPDX-License-Identifier: BSD-3-Clause
"""JSON Schema of typed records: each ``TypedDict`` is an object that has its fields and no others.

A field may be ``Annotated`` with a ``Rule``. Classes that are used go to ``$defs`` under their own name.
"""

from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

_PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}


@dataclass(frozen=True)
class Rule:
    """Limits of a number."""

    minimum: float | None = None
    maximum: float | None = None
    above: float | None = None

    def keywords(self) -> dict[str, Any]:
        """What a schema calls them."""
        named = {"minimum": self.minimum, "maximum": self.maximum, "exclusiveMinimum": self.above}
        return {name: value for name, value in named.items() if value is not None}


def schema_of(record: Any, name: str) -> dict[str, Any]:
    """Return the schema of a record, a ``TypedDict``.

    Parameters
    ----------
    record
        The class of the whole document.
    name
        By which the schema is known.
    """
    defined: dict[str, Any] = {}
    whole = _object(record, defined)
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": name}
    return {**head, **whole, "$defs": dict(sorted(defined.items()))}


def _object(record: Any, defined: dict[str, Any]) -> dict[str, Any]:
    """An object; a record with a field ``others_`` may have more fields, all of that type."""
    hints = get_type_hints(record, include_extras=True)
    others = hints.pop("others_", None)
    summary = (record.__doc__ or "").strip().split("\n")[0]
    return {
        **({"description": summary} if summary else {}),
        "type": "object",
        "properties": {name: _schema(kind, defined) for name, kind in hints.items()},
        "required": list(hints),
        "additionalProperties": False if others is None else _schema(others, defined),
    }


def _schema(kind: Any, defined: dict[str, Any]) -> dict[str, Any]:
    origin, inside = get_origin(kind), get_args(kind)
    if kind is Any:
        return {}
    if kind in _PLAIN:
        return {"type": _PLAIN[kind]}
    if is_typeddict(kind):
        if kind.__name__ not in defined:
            defined[kind.__name__] = {}  # a record may hold itself
            defined[kind.__name__] = _object(kind, defined)
        return {"$ref": f"#/$defs/{kind.__name__}"}
    if origin is NotRequired:
        return _schema(inside[0], defined)
    if origin is Annotated:
        return {**_schema(inside[0], defined), **inside[1].keywords()}
    if origin is Literal:
        return {"enum": list(inside)} if len(inside) > 1 else {"const": inside[0]}
    if origin in (Union, UnionType):
        return _either([_schema(one, defined) for one in inside])
    if origin is list:
        return {"type": "array", "items": _schema(inside[0], defined)}
    if origin is dict:
        return {"type": "object", "additionalProperties": _schema(inside[1], defined)}
    raise TypeError(f"{kind} has no JSON form")


def _either(several: list[dict[str, Any]]) -> dict[str, Any]:
    """One of several kinds: names of types together where nothing else is said of all but one."""
    plain = [one for one in several if set(one) == {"type"}]
    rest = [one for one in several if one not in plain]
    if len(rest) <= 1 and all("type" in one for one in rest):
        types = [one["type"] for one in [*rest, *plain]]
        return {**(rest[0] if rest else {}), "type": types}
    return {"anyOf": several}
