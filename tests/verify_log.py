#!/usr/bin/env python3
"""Checks a served log and the proof in a bundle, with nothing but Python.

    verify_log.py http://host/log keys.json bundle.json

Written from RFC 6962, RFC 8032 and C2SP's signed-note, tlog-checkpoint and
tlog-tiles; it shares no line with the program that it checks.
"""
import base64
import hashlib
import json
import sys
import urllib.request

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P


def add(a, b):
    """Twisted Edwards addition, affine (RFC 8032, section 5.1)."""
    (x1, y1), (x2, y2) = a, b
    t = D * x1 * x2 * y1 * y2 % P
    x = (x1 * y2 + x2 * y1) * pow(1 + t, P - 2, P) % P
    y = (y1 * y2 + x1 * x2) * pow(1 - t, P - 2, P) % P
    return x, y


def times(scalar, point):
    result = (0, 1)
    while scalar:
        if scalar & 1:
            result = add(result, point)
        point = add(point, point)
        scalar >>= 1
    return result


def decode(encoded):
    y = int.from_bytes(encoded, "little")
    sign, y = y >> 255, y & (2**255 - 1)
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    assert (x * x - square) % P == 0, "no point"
    return (P - x if x & 1 != sign else x), y


BASE = decode((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))


def verifies(key, message, signature):
    r, s = signature[:32], int.from_bytes(signature[32:], "little")
    k = int.from_bytes(hashlib.sha512(r + key + message).digest(), "little") % L
    return s < L and times(s, BASE) == add(decode(r), times(k, decode(key)))


def sha256(data):
    return hashlib.sha256(data).digest()


def root(leaves):
    """MTH (RFC 6962, section 2.1)."""
    if len(leaves) < 2:
        return leaves[0] if leaves else sha256(b"")
    k = 1
    while 2 * k < len(leaves):
        k *= 2
    return sha256(b"\x01" + root(leaves[:k]) + root(leaves[k:]))


def root_by_path(leaf, index, size, path):
    """The root that an audit path leads to (RFC 6962, section 2.1.1)."""
    if size == 1:
        assert not path, "the path is too long"
        return leaf
    k = 1
    while 2 * k < size:
        k *= 2
    *below, sibling = path
    if index < k:
        return sha256(b"\x01" + root_by_path(leaf, index, k, below) + sibling)
    return sha256(b"\x01" + sibling + root_by_path(leaf, index - k, size - k, below))


def checkpoint(note, keys):
    """Size and root of a checkpoint that a key of the log signed."""
    text, signatures = note.rsplit("\n\n", 1)
    text += "\n"
    origin, size, digest = text.split("\n")[:3]
    for line in signatures.splitlines():
        name, signature = line.removeprefix("\u2014 ").split(" ")
        signature = base64.b64decode(signature)
        for key in keys:
            key_hash = sha256(origin.encode() + b"\n\x01" + key)[:4]
            if name == origin and signature[:4] == key_hash:
                assert verifies(key, text.encode(), signature[4:]), "bad signature"
                return int(size), base64.b64decode(digest)
    raise AssertionError("no known key signed the checkpoint")


def get(base, path):
    with urllib.request.urlopen(f"{base}/{path}", timeout=30) as answer:
        return answer.read()


def tile_path(kind, index, width):
    number = f"{index % 1000:03}"
    while index := index // 1000:
        number = f"x{index % 1000:03}/{number}"
    return f"tile/{kind}/{number}" + (f".p/{width}" if width < 256 else "")


def main():
    base, keys_file, bundle_file = sys.argv[1:]
    document = json.load(open(keys_file))["keys"]
    keys = [
        base64.b64decode(key["public_key"])[-32:]
        for key in document
        if key["purpose"] == "log-checkpoint"
    ]
    size, expected = checkpoint(get(base, "checkpoint").decode(), keys)
    entries = []
    for index in range((size + 255) // 256):
        width = min(256, size - 256 * index)
        data = get(base, tile_path("entries", index, width))
        leaves = get(base, tile_path(0, index, width))
        while data:
            length = int.from_bytes(data[:2], "big")
            entries.append(data[2 : 2 + length])
            data = data[2 + length :]
        hashes = [sha256(b"\0" + entry) for entry in entries[256 * index :]]
        assert b"".join(hashes) == leaves, "the tile does not follow from its entries"
    assert len(entries) == size, "entries are missing"
    assert root([sha256(b"\0" + entry) for entry in entries]) == expected, "another root"

    bundle = json.load(open(bundle_file))
    envelope, log = bundle["envelope"], bundle["log"]
    line = json.dumps(envelope, separators=(",", ":")).encode()
    payload = json.loads(base64.b64decode(envelope["payload"]))
    entry = (
        b"\x01"
        + sha256(line)
        + bytes.fromhex(envelope["signatures"][0]["keyid"])
        + payload["predicate"]["run"]["id"].encode()
    )
    assert entries[log["index"]] == entry, "the log holds another entry there"
    then, digest = checkpoint(log["checkpoint"], keys)
    path = [base64.b64decode(sibling) for sibling in log["inclusion"]]
    leaf = sha256(b"\0" + entry)
    assert root_by_path(leaf, log["index"], then, path) == digest, "not included"
    assert root([sha256(b"\0" + entry) for entry in entries[:then]]) == digest, "forked"
    print(f"{size} entries, entry {log['index']} proved")


main()
