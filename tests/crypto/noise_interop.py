#!/usr/bin/python3
"""The daemon's handshake and records against python3-dissononce, an implementation of Noise that
shares no code with it. usage: noise_interop.py NOISE_PEER

Drives tests/tools/noise_peer.c, once per AES backend and role, checks the vector files against
Python's own cryptography, and ends with one line `N passed, N failed`."""
import hashlib
import hmac
import os
import pathlib
import subprocess
import sys
import traceback

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from dissononce.cipher.aesgcm import AESGCMCipher
from dissononce.dh.x25519.private import PrivateKey
from dissononce.dh.x25519.public import PublicKey
from dissononce.dh.x25519.x25519 import X25519DH
from dissononce.extras.dh.dangerous.dh_nogen import NoGenDH
from dissononce.hash.sha256 import SHA256Hash
from dissononce.processing.handshakepatterns.interactive.NK import NKHandshakePattern
from dissononce.processing.impl.cipherstate import CipherState
from dissononce.processing.impl.handshakestate import HandshakeState
from dissononce.processing.impl.symmetricstate import SymmetricState
from dissononce.processing.modifiers.psk import PSKPatternModifier

import derive_vectors

VECTORS = pathlib.Path(__file__).resolve().parent.parent / "vectors"
ROUNDS = 20


def blocks(name):
    """Yields the blocks of a vector file as dicts of bytes."""
    values = {}
    for line in (VECTORS / name).read_text().splitlines() + [""]:
        if line.startswith("#"):
            continue
        if line:
            key, _, value = line.partition(" =")
            values[key] = bytes.fromhex(value.strip())
        elif values:
            yield values
            values = {}


class Peer:
    """The C side."""

    def __init__(self, program, backend):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.ask("backend", backend)

    def raw(self, *words):
        line = " ".join(w if isinstance(w, str) else w.hex() or "-" for w in words)
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().split()

    def ask(self, *words):
        answer = self.raw(*words)
        assert answer and answer[0] == "ok", (words[0], answer)
        values = [b"" if w == "-" else bytes.fromhex(w) for w in answer[1:]]
        return values[0] if len(values) == 1 else values

    def refuses(self, *words):
        answer = self.raw(*words)
        assert answer and answer[0] == "err", (words[0], answer)

    def close(self):
        self.process.stdin.close()
        status = self.process.wait(timeout=20)
        assert status == 0, f"noise_peer ended with {status}"


class Dissononce:
    """The other side, with the same three questions."""

    def __init__(self, initiator, prologue, psk, static, ephemeral=None):
        dh = X25519DH()
        state = SymmetricState(CipherState(AESGCMCipher()), SHA256Hash())
        self.noise = HandshakeState(state, NoGenDH(dh, PrivateKey(ephemeral)) if ephemeral else dh)
        pattern = PSKPatternModifier(0).modify(NKHandshakePattern())
        if initiator:
            self.noise.initialize(pattern, True, prologue, rs=PublicKey(static), psks=[psk])
        else:
            pair = dh.generate_keypair(PrivateKey(static))
            self.noise.initialize(pattern, False, prologue, s=pair, psks=[psk])
        self.initiator = initiator
        self.ciphers = None

    def write(self, payload):
        out = bytearray()
        self.ciphers = self.noise.write_message(payload, out)
        return bytes(out)

    def read(self, message):
        out = bytearray()
        self.ciphers = self.noise.read_message(message, out)
        return bytes(out)

    def hash(self):
        return self.noise.symmetricstate.get_handshake_hash()

    def sending(self):
        return self.ciphers[0 if self.initiator else 1]

    def receiving(self):
        return self.ciphers[1 if self.initiator else 0]


def public_of(secret):
    return X25519PrivateKey.from_private_bytes(secret).public_key().public_bytes(
        derive_vectors.Encoding.Raw, derive_vectors.PublicFormat.Raw)


def connect(program, backend, c_initiates, payloads, prologue, psk, static, ephemerals=(None, None)):
    """Runs one handshake; returns the C peer and dissononce, connected, and the two messages."""
    peer = Peer(program, backend)
    role, key = ("initiator", public_of(static)) if c_initiates else ("responder", static)
    peer.ask("init", role, prologue, psk, key)
    other = Dissononce(not c_initiates, prologue, psk, static if c_initiates else public_of(static),
                       ephemerals[1 if c_initiates else 0])
    own = [e for e in (ephemerals[0 if c_initiates else 1],) if e]
    if c_initiates:
        first = peer.ask("write", payloads[0], *own)
        assert other.read(first) == payloads[0]
        second = other.write(payloads[1])
        assert peer.ask("read", second) == payloads[1]
    else:
        first = other.write(payloads[0])
        assert peer.ask("read", first) == payloads[0]
        second = peer.ask("write", payloads[1], *own)
        assert other.read(second) == payloads[1]
    assert peer.ask("hash") == other.hash()
    return peer, other, (first, second)


def random_world():
    return dict(prologue=os.urandom(25), psk=os.urandom(32), static=os.urandom(32))


def plaintext(sender, kind, more, body):
    plain = bytes([kind | (0x80 if more else 0)]) + len(body).to_bytes(2, "big") + body
    if sender == "viewer" or len(body) <= derive_vectors.DAEMON_PAD_MAX:
        plain += bytes(-len(plain) % derive_vectors.PAD)
    return plain


def check_handshakes(program, backend, c_initiates):
    for i in range(ROUNDS):
        payloads = (os.urandom(i % 7 * 5), os.urandom(i % 5 * 40))
        peer, other, _ = connect(program, backend, c_initiates, payloads, **random_world())
        send, receive = peer.ask("split")
        for key, cipher, opener in ((send, other.receiving(), False), (receive, other.sending(), True)):
            text = os.urandom(50)
            sealed = AESGCM(key).encrypt(bytes(12), text, b"")
            assert (cipher.encrypt_with_ad(b"", text) == sealed) if opener else (
                cipher.decrypt_with_ad(b"", sealed) == text)
        peer.close()


def check_published(program, backend, c_initiates):
    for v in blocks("noise_nkpsk0.txt"):
        peer, other, messages = connect(
            program, backend, c_initiates, (v["payload_0"], v["payload_1"]), v.get("prologue", b""), v["psk"],
            v["static_secret"], (v["initiator_ephemeral"], v["responder_ephemeral"]))
        assert messages == (v["ciphertext_0"], v["ciphertext_1"])
        if "handshake_hash" in v:
            assert other.hash() == v["handshake_hash"]
        peer.close()


def check_records(program, backend, c_initiates):
    """Records of many sizes both ways."""
    peer, other, _ = connect(program, backend, c_initiates, (b"", b""), **random_world())
    peer.ask("records")
    me, them = ("viewer", "daemon") if c_initiates else ("daemon", "viewer")
    for n, size in enumerate((0, 1, 60, 61, 62, 255, 256, 257, 300, 4096, 32768, 65000)):
        body, kind, more = os.urandom(size), n + 1, n % 2 == 1
        record = peer.ask("seal", bytes([kind]), bytes([more]), body)
        assert other.receiving().decrypt_with_ad(b"", record) == plaintext(me, kind, more, body)
        record = other.sending().encrypt_with_ad(b"", plaintext(them, kind, more, body))
        assert peer.ask("open", record) == [bytes([kind]), bytes([more]), body]
    peer.close()


def rekey(cipher):
    """dissononce 0.34.3's own rekey() keeps all 48 bytes and starts n again; section 4.2 takes the
    first 32 and section 5.1 leaves n alone. Its ENCRYPT() is what counts here."""
    key, n = cipher._cipher.rekey(cipher._key)[:32], cipher._nonce
    cipher.initialize_key(key)
    cipher.set_nonce(n)


def check_rekey(program, backend, c_initiates):
    """65,540 records each way: the one numbered 65,536 is the first under the next key."""
    peer, other, _ = connect(program, backend, c_initiates, (b"", b""), **random_world())
    peer.ask("records")
    me, them = ("viewer", "daemon") if c_initiates else ("daemon", "viewer")
    for n in range(65540):
        body = n.to_bytes(8, "big")
        if n == 65536:
            rekey(other.sending())
            rekey(other.receiving())
        record = peer.ask("seal", b"\x01", b"\x00", body)
        assert other.receiving().decrypt_with_ad(b"", record) == plaintext(me, 1, False, body), n
        record = other.sending().encrypt_with_ad(b"", plaintext(them, 2, False, body))
        assert peer.ask("open", record)[2] == body, n
    peer.close()


def check_refusals(program, backend, c_initiates):
    """What dissononce makes with one wrong input, the C side refuses."""
    world = random_world()
    for name in world:
        wrong = dict(world)
        wrong[name] = bytes([world[name][0] ^ 8]) + world[name][1:]
        peer = Peer(program, backend)
        if c_initiates:
            peer.ask("init", "initiator", world["prologue"], world["psk"], public_of(world["static"]))
            first = peer.ask("write", b"")
            other = Dissononce(False, wrong["prologue"], wrong["psk"], wrong["static"])
            try:
                other.read(first)
                raise AssertionError(f"dissononce took a wrong {name}")
            except AssertionError:
                raise
            except Exception:
                pass
        else:
            peer.ask("init", "responder", world["prologue"], world["psk"], world["static"])
            other = Dissononce(True, wrong["prologue"], wrong["psk"], public_of(wrong["static"]))
            peer.refuses("read", other.write(b""))
        peer.close()


def available(program):
    """The AES backends this processor can run: without AES instructions, only the portable one."""
    found = []
    for backend in ("native", "portable"):
        peer = Peer(program, "portable")
        if peer.raw("backend", backend)[0] == "ok":
            found.append(backend)
        else:
            print(f"this processor cannot run the {backend} backend: not tried", file=sys.stderr)
        peer.close()
    return found


def check_published_answers():
    """The transcribed files against Python's cryptography, so that a slip of the pen shows."""
    def shared(secret, public):
        return X25519PrivateKey.from_private_bytes(secret).exchange(X25519PublicKey.from_public_bytes(public))

    for v in blocks("aes256gcm.txt"):
        assert AESGCM(v["key"]).encrypt(v["nonce"], v["plaintext"], v["aad"]) == v["ciphertext"] + v["tag"]
    for v in blocks("hmac_sha256.txt"):
        assert hmac.digest(v["key"], v["data"], "sha256") == v["mac"]
    for v in blocks("sha256.txt"):
        assert hashlib.sha256(v["data"]).digest() == v["hash"]
    for v in blocks("hkdf_sha256.txt"):
        assert derive_vectors.hkdf(v["salt"], v["ikm"], v["info"], len(v["okm"])) == v["okm"]
    for v in blocks("x25519.txt"):
        if "scalar" in v:
            assert shared(v["scalar"], v["u"]) == v["result"]
        elif "a_secret" in v:
            assert shared(v["a_secret"], v["b_public"]) == shared(v["b_secret"], v["a_public"]) == v["shared"]


def check_derived():
    assert subprocess.run([VECTORS.parent / "crypto" / "derive_vectors.py", "--check"]).returncode == 0


def main():
    if len(sys.argv) != 2:
        print("usage: noise_interop.py NOISE_PEER", file=sys.stderr)
        return 2
    program = sys.argv[1]
    tests = [("published answers", check_published_answers, ()), ("derived answers", check_derived, ())]
    backends = available(program)
    for backend in backends:
        for c_initiates in (False, True):
            role = "initiator" if c_initiates else "responder"
            for check in (check_published, check_handshakes, check_records, check_refusals):
                tests.append((f"{check.__name__} {backend} {role}", check, (program, backend, c_initiates)))
    tests.append((f"check_rekey {backends[0]} responder", check_rekey, (program, backends[0], False)))
    failed = 0
    for name, check, args in tests:
        try:
            check(*args)
        except Exception:
            failed += 1
            print(f"FAILED {name}\n{traceback.format_exc()}", file=sys.stderr)
    print(f"{len(tests) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
