/// What other implementations are asked about the document.
enum Scripts {
    /// What fits into 100 columns stands on one line; of everything else each member or element has
    /// a line, two spaces deeper.
    static let format = #"""
        import json, sys
        def text(value):
            return json.dumps(value, ensure_ascii=False)
        def write(value, depth=0, used=0):
            line = text(value)
            composite = isinstance(value, (dict, list)) and value
            if not composite or 2 * depth + used + len(line) <= 100:
                return line
            inner, outer = "\n" + "  " * (depth + 1), "\n" + "  " * depth
            if isinstance(value, dict):
                parts = [f"{text(k)}: {write(v, depth + 1, len(text(k)) + 3)}"
                         for k, v in value.items()]
                return "{" + inner + ("," + inner).join(parts) + outer + "}"
            parts = [write(v, depth + 1, 1) for v in value]
            return "[" + inner + ("," + inner).join(parts) + outer + "]"
        sys.stdout.reconfigure(encoding="utf-8")
        print(write(json.load(open(sys.argv[1], encoding="utf-8"))))
        """#

    /// Prints `ok`, or what is wrong with the document or an example.
    static let validate = #"""
        import json, sys
        from jsonschema import Draft202012Validator
        from openapi_spec_validator import OpenAPIV31SpecValidator
        from referencing import Registry
        from referencing.jsonschema import DRAFT202012
        document = json.load(open(sys.argv[1], encoding="utf-8"))
        faults = [str(e) for e in OpenAPIV31SpecValidator(document).iter_errors()]
        registry = Registry().with_resource("urn:api", DRAFT202012.create_resource(document))
        def walk(value, pointer):
            if isinstance(value, dict):
                schema = value.get("schema")
                examples = [e["value"] for e in value.get("examples", {}).values()] \
                    if isinstance(value.get("examples"), dict) else []
                if "example" in value:
                    examples.append(value["example"])
                if schema is not None:
                    checker = Draft202012Validator(
                        {"$ref": "urn:api#" + pointer + "/schema"}, registry=registry,
                        format_checker=Draft202012Validator.FORMAT_CHECKER)
                    for example in examples:
                        faults.extend(f"{pointer}: {e.message}" for e in checker.iter_errors(example))
                    if "application/" in pointer and not examples \
                            and "openapi.json" not in pointer and "AnyProblem" not in pointer:
                        faults.append(pointer + ": no example")
                for name, child in value.items():
                    walk(child, pointer + "/" + name.replace("~", "~0").replace("/", "~1")
                         .replace("{", "%7B").replace("}", "%7D"))
            elif isinstance(value, list):
                for index, child in enumerate(value):
                    walk(child, f"{pointer}/{index}")
        walk(document, "")
        print("\n".join(faults) or "ok")
        """#
}
