#!/usr/bin/env python3
"""Recomputes the three fingerprints of an MCP tool list. Standard library only.

    python3 recompute_fingerprints.py page1.json [page2.json ...]

A file holds one answer to tools/list as the server sent it (the JSON-RPC
response or its result) or an array of tools; all pages of one list, in order.
Prints JSON. A fingerprint that cannot be computed is null: reason on stderr, exit 1.
Canonical form (nfc-jcs/v1): strings and keys in Unicode NFC, then RFC 8785.
"""
import decimal, hashlib, json, sys, unicodedata

def refuse(why):
    raise ValueError(why)

def read(file):  # As JSON.parse: every number a double, no NaN, no Infinity.
    text = open(file, "rb").read().decode("utf-8")
    return json.loads(text, parse_int=float, parse_constant=refuse)

def nfc(text):
    if any("\ud800" <= character <= "\udfff" for character in text):
        refuse("unpaired surrogate")
    return unicodedata.normalize("NFC", text)

def units(text):  # Sorts as ECMAScript does, by UTF-16 code units.
    return text.encode("utf-16-be", "surrogatepass")

def number(value):  # ECMAScript's form; repr() gives the same shortest digits.
    if abs(value) == float("inf"):
        refuse("number beyond a double")
    sign, digits, exponent = decimal.Decimal(repr(value)).as_tuple()
    point = len(digits) + exponent
    text = "".join(map(str, digits)).rstrip("0")
    if not text:
        return "0"
    if 0 < point <= 21:
        text = text.ljust(point, "0")
        text = text[:point] + ("." + text[point:]).rstrip(".")
    elif -6 < point <= 0:
        text = "0." + "0" * -point + text
    else:
        text = text[0] + ("." + text[1:]).rstrip(".") + f"e{point - 1:+d}"
    return "-" * sign + text

def canonical(value):
    if isinstance(value, float):
        return number(value)
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, dict):
        members = {nfc(key): member for key, member in value.items()}
        if len(members) < len(value):
            refuse("two keys that are equal in NFC")
        keys = sorted(members, key=units)
        return "{" + ",".join(f"{canonical(key)}:{canonical(members[key])}" for key in keys) + "}"
    return json.dumps(nfc(value) if isinstance(value, str) else value, ensure_ascii=False)

def toolset(tools):  # Names are sorted as they were sent, before NFC, duplicates kept.
    return canonical(sorted((tool["name"] for tool in tools), key=units))

def schemas(tools):
    if not all("inputSchema" in tool for tool in tools):
        refuse("a tool has no inputSchema")
    rows = [(tool["name"], canonical(tool["inputSchema"])) for tool in tools]
    rows.sort(key=lambda row: (units(row[0]), units(row[1])))
    return "[" + ",".join(f'{{"inputSchema":{row[1]},"name":{canonical(row[0])}}}' for row in rows) + "]"

# All that a client shows to a model; a member that a tool lacks is left out.
MEMBERS = ("annotations", "description", "inputSchema", "name", "outputSchema", "title")

def definitions(tools):
    rows = [(tool["name"], canonical({key: tool[key] for key in MEMBERS if key in tool})) for tool in tools]
    rows.sort(key=lambda row: (units(row[0]), units(row[1])))
    return "[" + ",".join(text for _, text in rows) + "]"

def fingerprint(project, tools):
    try:
        return "sha256:" + hashlib.sha256(project(tools).encode()).hexdigest()
    except ValueError as error:
        print(f"{project.__name__}: {error}", file=sys.stderr)

def main(files):
    sys.setrecursionlimit(20_000)
    answers = [read(file) for file in files] or refuse("name the files that hold the pages")
    pages = [answer.get("result", answer) if isinstance(answer, dict) else answer for answer in answers]
    pages = [page if isinstance(page, dict) else {"tools": page} for page in pages]
    if pages[-1].get("nextCursor"):
        refuse("incomplete: the last page names a nextCursor")
    if not all(isinstance(page.get("tools"), list) for page in pages):
        refuse("a file holds no tools")
    tools = [tool for page in pages for tool in page["tools"]]
    if not all(isinstance(tool, dict) and isinstance(tool.get("name"), str) for tool in tools):
        refuse("a tool has no name")
    found = {"tools": len(tools), "toolset_fingerprint": fingerprint(toolset, tools)}
    found["schema_fingerprint"] = fingerprint(schemas, tools)
    found["definition_fingerprint"] = fingerprint(definitions, tools)
    print(json.dumps(found, separators=(",", ":")))
    return 1 if None in found.values() else 0

if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        sys.exit(2)
