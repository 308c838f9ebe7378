# SPDX-License-Identifier: BSD-3-Clause
"""As much of JSON Schema as this project's schemas use; a keyword that is not known is an error."""

_TYPES = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "null": type(None),
}
_KNOWN = {
    *("$schema", "$id", "$defs", "$ref", "title", "description", "type", "properties", "required"),
    *("anyOf", "additionalProperties", "items", "enum", "const", "minimum", "maximum", "exclusiveMinimum"),
}


def violations(value, schema, root=None, path="$"):
    """Sentences, one for each place where the value is not as the schema says."""
    root = schema if root is None else root
    assert set(schema) <= _KNOWN, set(schema) - _KNOWN
    if "$ref" in schema:
        return violations(value, root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root, path)
    found = []
    if "anyOf" in schema:
        each = [violations(value, one, root, path) for one in schema["anyOf"]]
        return [] if [] in each else min(each, key=len)
    if "const" in schema and value != schema["const"]:
        found.append(f"{path} is not {schema['const']!r}")
    if "enum" in schema and value not in schema["enum"]:
        found.append(f"{path} is none of {schema['enum']}")
    if "type" in schema:
        names = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
        fits = any(isinstance(value, _TYPES[n]) and (n == "boolean" or not isinstance(value, bool)) for n in names)
        if not fits:
            return [*found, f"{path} is no {' or '.join(names)}"]
    if isinstance(value, int | float) and not isinstance(value, bool):
        if value < schema.get("minimum", value) or value > schema.get("maximum", value):
            found.append(f"{path} is out of range")
        if "exclusiveMinimum" in schema and value <= schema["exclusiveMinimum"]:
            found.append(f"{path} is too small")
    if isinstance(value, list) and "items" in schema:
        for k, one in enumerate(value):
            found += violations(one, schema["items"], root, f"{path}[{k}]")
    if isinstance(value, dict):
        own, rest = schema.get("properties", {}), schema.get("additionalProperties", True)
        found += [f"{path} lacks {name}" for name in schema.get("required", ()) if name not in value]
        for name, one in value.items():
            if name in own:
                found += violations(one, own[name], root, f"{path}.{name}")
            elif rest is False:
                found.append(f"{path} has {name}")
            elif isinstance(rest, dict):
                found += violations(one, rest, root, f"{path}.{name}")
    return found
