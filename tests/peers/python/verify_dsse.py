"""Verifies a bundle's envelope with PyPI securesystemslib, which is not ours.

usage: verify_dsse.py BUNDLE   exits 0 and prints the key id when it verifies
"""

import base64
import hashlib
import json
import sys

from cryptography.hazmat.primitives.serialization import load_der_public_key
from securesystemslib.dsse import Envelope
from securesystemslib.signer import SSlibKey

bundle = json.load(open(sys.argv[1]))
wanted = bundle["envelope"]["signatures"][0]["keyid"]
envelope = Envelope.from_dict(bundle["envelope"])
entry = next(key for key in bundle["keys"]["keys"] if key["key_id"] == wanted)
spki = base64.b64decode(entry["public_key"])
assert hashlib.sha256(spki).hexdigest() == wanted, "the key id is not the digest of the key"
key = SSlibKey.from_crypto(load_der_public_key(spki), keyid=wanted)
envelope.verify([key], 1)
print(wanted)
