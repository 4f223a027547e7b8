#!/usr/bin/env python3
"""Writes what each fuzz target begins with: the labelled cases, and every
string that the tests of the same room read.

usage: tests/fuzz/seeds.py FOLDER      (one folder a target is made in it)
"""

import hashlib
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
INTO = pathlib.Path(sys.argv[1])

LITERAL = re.compile(r'r#"(.*?)"#|"((?:\\.|[^"\\])*)"', re.S)
ESCAPE = re.compile(r"\\(u\{[0-9a-fA-F_]+\}|x[0-9a-fA-F]{2}|\n\s*|.)", re.S)
PLAIN = {"n": "\n", "t": "\t", "r": "\r", "0": "\0"}


def keep(target, data):
    folder = INTO / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / hashlib.sha256(data).hexdigest()[:16]).write_bytes(data)


def unescaped(match):
    what = match.group(1)
    if what.startswith("u{"):
        return chr(int(what[2:-1], 16))
    if what.startswith("x"):
        return chr(int(what[1:], 16))
    return "" if what.startswith("\n") else PLAIN.get(what, what)


def literals(path):
    for raw, text in LITERAL.findall((ROOT / path).read_text()):
        yield (raw or ESCAPE.sub(unescaped, text)).encode()


def cases(path):
    return [case["input"] for case in json.loads((ROOT / path).read_text())["cases"]]


for case in cases("shared/canonical/vectors/cases.json"):
    for text in [case["text"]] if "text" in case else case.get("pages", []):
        keep("canonical", text.encode())

for case in cases("shared/suites/vectors/hygiene.json"):
    for tool in [case] if "name" in case else case["tools"]:
        # 0: plain text; the character that the target parts name and description by.
        text = f"{tool.get('name', '')}\U0001f469{tool.get('description') or ''}"
        keep("hygiene", b"\0" + text.encode("utf-8", "replace"))

for text in literals("shared/wire/src/challenge/tests.rs"):
    keep("challenge", text)
for text in literals("shared/wire/src/sse/tests.rs"):
    keep("stream", b"\3" + text)  # parts of three bytes
for path in ["shared/wire/src/jsonrpc/tests.rs", "shared/wire/tests/hostile.rs"]:
    for text in literals(path):
        keep("answer", (200).to_bytes(2, "little") + text)

for text in literals("shared/suites/tests/mcp/observe.rs"):
    for place in range(8):  # of the answer in the run; its status, a header's line, the body
        keep("evaluation", bytes([place, 0]) + (200).to_bytes(2, "little") + b"\n" + text)
for path in ["shared/evidence/src/text.rs", "shared/evidence/src/timestamp.rs"]:
    for text in literals(path):
        keep("texts", text)
for path in ["shared/evidence/src/keyset/tests.rs", "shared/evidence/src/sample.rs"]:
    for text in literals(path):
        keep("keys", text)
for text in literals("shared/evidence/src/log/tests.rs"):
    keep("log", text)
    keep("log", b"\3" + text)  # as a tile of three
for text in literals("shared/telemetry/src/trace.rs"):
    keep("traceparent", text)
