"""JSON of the programs against docs/schemas, with python3-jsonschema where it is installed."""
import json
import os

try:
    import jsonschema
except ImportError:
    jsonschema = None


def strict(schema):
    """The schema without keys that it does not name: all that is printed is documented."""
    if isinstance(schema, list):
        return [strict(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    out = {key: strict(part) for key, part in schema.items()}
    if isinstance(schema.get("properties"), dict) and schema.get("type") == "object":
        out.setdefault("additionalProperties", False)
    return out


class Schemas:
    """Validators of a kind of line or object; without jsonschema they accept all."""

    KINDS = ("severity", "summary", "limit", "result")

    def __init__(self, source):
        self.folder = os.path.join(source, "docs", "schemas")
        self.validators = {}
        self.seen = {kind: 0 for kind in self.KINDS}

    def validator(self, name, kind):
        if (name, kind) not in self.validators:
            with open(os.path.join(self.folder, name), encoding="utf-8") as file:
                schema = strict(json.load(file))
            jsonschema.Draft7Validator.check_schema(schema)
            part = dict(schema, **{"$ref": f"#/definitions/{kind}"})
            for key in ("oneOf", "title", "description"):
                part.pop(key, None)
            # A reference beside other keys hides them, but definitions are still found.
            self.validators[name, kind] = jsonschema.Draft7Validator(part)
        return self.validators[name, kind]

    def line(self, line):
        """Fails unless it is an object of one documented kind."""
        kinds = [kind for kind in self.KINDS if kind in line and not (
            kind == "severity" and "limit" in line)]
        if len(kinds) != 1:
            raise AssertionError(f"of {len(kinds)} kinds: {line}")
        self.seen[kinds[0]] += 1
        if jsonschema:
            self.check("lines.schema.json", "message" if kinds[0] == "severity" else kinds[0], line)

    def check(self, name, kind, value):
        for error in self.validator(name, kind).iter_errors(value):
            raise AssertionError(f"{kind}: {list(error.path)}: {error.message[:600]}")
