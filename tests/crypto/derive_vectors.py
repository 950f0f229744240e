#!/usr/bin/python3
"""Writes the known answers of this project's own derivations and records to tests/vectors.

Uses nothing but hashlib and python3-cryptography, so that neither the daemon's nor the page's code
can agree with itself. `derive_vectors.py --check` compares instead of writing."""
import hashlib
import hmac
import pathlib
import sys

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

VECTORS = pathlib.Path(__file__).resolve().parent.parent / "vectors"
PAD = 64
DAEMON_PAD_MAX = 256


def hkdf(salt, ikm, info, n):
    prk = hmac.digest(salt or bytes(32), ikm, "sha256")
    out, block = b"", b""
    for i in range(1, 256):
        block = hmac.digest(prk, block + info + bytes([i]), "sha256")
        out += block
        if len(out) >= n:
            return out[:n]
    raise ValueError("too long")


def block(**values):
    return "".join(f"{k} = {v.hex()}".rstrip() + "\n" for k, v in values.items())


def link_keys():
    text = """# derived: keys of a link (docs/protocol.md, sections 1 and 3). sas is four word numbers of 0 to
# 2,047, two bytes each; handshake_hash is any 32 bytes here.
"""
    for seed in range(4):
        secret = hashlib.sha256(b"secret %d" % seed).digest() if seed else bytes(range(32))
        static = hashlib.sha256(b"static %d" % seed).digest()
        public = X25519PrivateKey.from_private_bytes(static).public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        hh = hashlib.sha256(b"hash %d" % seed).digest()
        link_id = hkdf(b"", secret, b"vitrine v1 link id", 16)
        bits = int.from_bytes(hkdf(b"", hh, b"vitrine v1 sas", 8), "big") >> 20
        words = b"".join((bits >> s & 2047).to_bytes(2, "big") for s in (33, 22, 11, 0))
        text += "\n" + block(
            link_secret=secret, static_secret=static, static_public=public,
            psk=hkdf(b"", secret, b"vitrine v1 psk", 32), link_id=link_id,
            prologue=b"vitrine/1" + link_id,
            route=hashlib.sha256(b"vitrine v1 route" + public).digest()[:16],
            handshake_hash=hh, sas=words)
    return text


def nonce(n):
    return bytes(4) + n.to_bytes(8, "big")


def rekey(key):
    """Noise revision 34, 4.2: ENCRYPT(k, 2^64-1, zerolen, zeros), first 32 bytes. Written with the
    bare block cipher: GCM's first keystream block has block counter 2."""
    aes = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
    return aes.update(b"".join(nonce(2**64 - 1) + c.to_bytes(4, "big") for c in (2, 3)))


def rekeys():
    text = """# derived: Noise REKEY for AESGCM, revision 34 of the specification, section 4.2.
"""
    key = bytes(range(32))
    for _ in range(3):
        text += "\n" + block(key=key, next=rekey(key))
        key = rekey(key)
    return text


def seal(key, n, kind, body, padded):
    plain = bytes([kind]) + len(body).to_bytes(2, "big") + body
    if padded:
        plain += bytes(-len(plain) % PAD)
    return AESGCM(key).encrypt(nonce(n), plain, b"")


def records():
    text = """# derived: sealed records (docs/protocol.md, section 4). from is 01 for the daemon, 02 for a viewer; type
# is the first plaintext byte, bit 7 set when the message goes on. The records of one sender are its
# records number 0, 1, 2, … under key. The last ones stand around the first REKEY and have their number.
"""
    for sender in (1, 2):
        key = hashlib.sha256(b"record key %d" % sender).digest()
        sizes = (0, 1, 13, 60, 61, 62, 125, 256, 257, 1000)
        for n, size in enumerate(sizes):
            body = bytes((i * 7 + size) % 256 for i in range(size))
            kind = (0x83 if n % 3 == 1 else 0x04) if sender == 1 else 0x42
            padded = sender == 2 or size <= DAEMON_PAD_MAX
            text += "\n" + block(**{"from": bytes([sender])}, key=key, type=bytes([kind]), body=body,
                                 record=seal(key, n, kind, body, padded))
        for n in (65534, 65535, 65536, 131071, 131072):
            used = key
            for _ in range(n // 65536):
                used = rekey(used)
            text += "\n" + block(**{"from": bytes([sender])}, key=key, number=n.to_bytes(8, "big"),
                                 type=b"\x45" if sender == 2 else b"\x09", body=n.to_bytes(8, "big"),
                                 record=seal(used, n, 0x45 if sender == 2 else 0x09, n.to_bytes(8, "big"), True))
    return text


def main():
    stale = 0
    for name, make in (("link_keys", link_keys), ("rekey", rekeys), ("records", records)):
        path = VECTORS / (name + ".txt")
        if "--check" not in sys.argv:
            path.write_text(make())
        elif path.read_text() != make():
            print(f"{path.name} is not what it derives to", file=sys.stderr)
            stale += 1
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
