#!/usr/bin/env python3
"""Writes the message and link vectors: proto/vectors/{messages,ipc,mux,links}.txt.

It reads the tables (proto/*.def) with a parser of its own and encodes with struct.pack, so that the
files are a second opinion about the wire format and not an echo of the C code they test. Same
tables, same files: nothing in here is random. Run by `make vectors`."""

import base64
import hashlib
import re
import struct
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROTO = HERE.parent

WIDTHS = {"U8": (1, "B"), "U16": (2, "H"), "U32": (4, "I"), "U64": (8, "Q")}

STRINGS = ["", "a", "work:1.0", "Grüße, 世界 🙂", 'quote " backslash \\ line\n tab\t nul\0 bell\a', "é" * 150]


class Table:
    """Enums' largest values, items and messages of one .def file."""

    def __init__(self, path):
        self.largest, self.items, self.messages = {}, {}, []
        text = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.S)
        fields = None
        for macro, inside in re.findall(r"^([A-Z0-9_]+)\(([^)]*)\)", text, flags=re.M):
            args = [a.strip() for a in inside.split(",")]
            if macro == "END_ENUM":
                self.largest[args[0]] = int(args[1])
            elif macro == "ITEM":
                fields = self.items[args[0]] = []
            elif macro == "MESSAGE":
                fields = []
                self.messages.append((args[0], fields))
            elif macro in ("ENUM", "VALUE", "END_ITEM", "END_MESSAGE"):
                continue
            else:
                fields.append((macro, args))


def noise(seed, n):
    """n bytes that depend on nothing but seed."""
    out = b""
    while len(out) < n:
        out += hashlib.sha256(f"{seed}/{len(out)}".encode()).digest()
    return out[:n]


def quoted(text):
    out = "".join(
        "\\" + c if c in '"\\' else f"\\u{ord(c):04x}" if ord(c) < 0x20 or ord(c) == 0x7F else c
        for c in text
    )
    return f'"{out}"'


class Case:
    """One way to fill a message: 0 all least, 1 all largest, then varied."""

    def __init__(self, table, name, number):
        self.table, self.name, self.number, self.count = table, name, number, 0

    def pick(self, choices):
        self.count += 1
        if self.number == 0:
            return choices[0]
        if self.number == 1:
            return choices[-1]
        at = noise(f"{self.name}.{self.number}.{self.count}", 4)
        return choices[int.from_bytes(at, "big") % len(choices)]

    def some_bytes(self, n):
        self.count += 1
        if self.number < 2:
            return (b"\0" if self.number == 0 else b"\xff") * n
        return noise(f"{self.name}.{self.number}.{self.count}", n)

    def integer(self, width):
        top = (1 << 8 * width) - 1
        return self.pick([0, 1, 0x7F, 0x80, 1 << (8 * width - 1), 0x0123456789ABCDEF & top, top - 1, top])

    def field(self, macro, args):
        """Text and wire bytes of one field."""
        if macro in WIDTHS:
            width, code = WIDTHS[macro]
            v = self.integer(width)
            return str(v), struct.pack(">" + code, v)
        if macro == "ENUM8":
            v = self.pick(list(range(self.table.largest[args[1]] + 1)))
            return str(v), struct.pack(">B", v)
        if macro == "STR":
            s = self.pick(STRINGS)
            b = s.encode()
            return quoted(s), struct.pack(">H", len(b)) + b
        if macro == "LIST":
            parts = [self.fields(self.table.items[args[1]]) for _ in range(self.pick([0, 1, 2, 3]))]
            text = ",".join("{" + t + "}" for t, _ in parts)
            return f"[{text}]", struct.pack(">H", len(parts)) + b"".join(w for _, w in parts)
        if macro == "FIXED":
            b = self.some_bytes(int(args[1]))
            return "x" + b.hex(), b
        b = self.some_bytes(self.pick([0, 1, 2, 31, 300]))
        assert macro in ("BLOB", "REST")
        return "x" + b.hex(), (struct.pack(">I", len(b)) if macro == "BLOB" else b"") + b

    def fields(self, fields):
        texts, wire = [], b""
        for macro, args in fields:
            text, more = self.field(macro, args)
            texts.append(f"{args[0]}={text}")
            wire += more
        return " ".join(texts), wire


def refusals(table, name, fields):
    """Bodies that must be refused, each for one reason: (reason, bytes)."""
    ends_open = fields[-1][0] == "REST"
    full = Case(table, name, 1).fields(fields)[1]
    least = Case(table, name, 0).fields(fields)[1]
    if least:
        yield "nothing at all", b""
        yield "one byte short", least[:-1]
    if not ends_open:
        yield "one byte too many", full + b"\0"
    at = b""
    for macro, args in fields:
        rest = b"".join(Case(table, name, 0).field(m, a)[1] for m, a in fields[len_of(fields, args[0]) :])
        if macro == "ENUM8":
            yield f"{args[0]} out of range", at + bytes([table.largest[args[1]] + 1]) + rest
        if macro == "STR":
            for bad in (b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"a\xe2\x82"):
                yield f"{args[0]} not UTF-8", at + struct.pack(">H", len(bad)) + bad + rest
        if macro in ("STR", "BLOB", "LIST"):
            size = 4 if macro == "BLOB" else 2
            yield f"{args[0]} longer than the body", at + b"\xff" * size + rest
        if macro == "LIST":
            for n, (m, a) in enumerate(table.items[args[1]]):
                if m != "ENUM8":
                    continue
                item = b"".join(
                    bytes([table.largest[a[1]] + 1]) if k == n else Case(table, name, 0).field(*f)[1]
                    for k, f in enumerate(table.items[args[1]])
                )
                yield f"{args[0]}.{a[0]} out of range", at + b"\0\x01" + item + rest
        at += Case(table, name, 0).field(macro, args)[1]


def len_of(fields, name):
    """Number of fields up to and including name."""
    return [a[0] for _, a in fields].index(name) + 1


GRAMMAR = """\
#
#     NAME field=value field=value … = body       the body of message NAME, both ways
#     ! NAME = body                               a body that must be refused
#
# Names are the table's. Values: integers and enums in decimal; STR as a JSON string, in which only
# `"`, `\\`, U+0000 to U+001F and U+007F are escaped (`\\"`, `\\\\`, `\\u000a`); FIXED, BLOB and REST as
# `x` and lower-case hexadecimal; LIST as `[{field=value field=value},{…}]`. A body is `x` and
# lower-case hexadecimal too. One blank between words, none elsewhere outside strings. Lines that
# begin with `#` and empty lines say nothing."""


def write_messages(table_file, out_file, what):
    table = Table(PROTO / table_file)
    lines = [f"# {what} as text and as bytes, made from proto/{table_file} by generate.py.", GRAMMAR]
    for name, fields in table.messages:
        lines.append("")
        seen = set()
        for number in range(6):
            text, wire = Case(table, name, number).fields(fields)
            if text not in seen:
                lines.append(f"{name} {text} = x{wire.hex()}")
            seen.add(text)
        refused = set()
        for reason, wire in refusals(table, name, fields):
            if wire not in refused:
                lines += [f"# {reason}", f"! {name} = x{wire.hex()}"]
            refused.add(wire)
    (HERE / out_file).write_text("\n".join(lines) + "\n", encoding="utf-8")


def b64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def good_links():
    keys = [(bytes(32), bytes(32)), (b"\xff" * 32, b"\xff" * 32)]
    keys += [(noise(f"pk{i}", 32), noise(f"secret{i}", 32)) for i in range(4)]
    urls = ["", "", "wss://relay.example/ws", "ws://127.0.0.1:8722/ws", "wss://[2001:db8::1]:443/a/b?c=d&e=%20", "wss://h/" + "p" * 1016]
    for (pk, secret), url in zip(keys, urls):
        tail = "." + b64(url.encode()) if url else ""
        yield pk, secret, url, b64(b"\x01" + pk + secret) + tail


def bad_links():
    pk, secret = noise("pk0", 32), noise("secret0", 32)
    good = b64(b"\x01" + pk + secret)
    url = b64(b"wss://relay.example/ws")
    yield "empty", ""
    yield "an unknown suite", b64(b"\x02" + pk + secret)
    yield "suite 0", b64(b"\x00" + pk + secret)
    yield "a byte short", b64(b"\x01" + pk + secret[:-1])
    yield "a byte long", b64(b"\x01" + pk + secret + b"\0")
    yield "padded", good + "="
    last = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    at = last.index(good[-1])
    for low in (1, 2, 3):
        yield "unused bits set", good[:-1] + last[at | low]
    first = b64(b"\x01" + b"\xfb\xef" * 16 + secret)
    yield "the other base64 alphabet", first.replace("-", "+").replace("_", "/")
    yield "a blank inside", good[:40] + " " + good[40:]
    yield "a character outside ASCII", good[:-1] + "é"
    yield "a percent escape", good[:40] + "%41" + good[41:]
    yield "a dot and no URL", good + "."
    yield "two dots", good + "." + url + "." + url
    yield "only a URL", "." + url
    yield "a padded URL", good + "." + b64(b"wss://relay.example/wsx") + "="
    yield "a URL of one character", good + ".A"
    yield "http is not WebSocket", good + "." + b64(b"https://relay.example/ws")
    yield "no scheme", good + "." + b64(b"relay.example/ws")
    yield "a capital scheme", good + "." + b64(b"WSS://relay.example/ws")
    yield "no host", good + "." + b64(b"wss:///ws")
    yield "only a port", good + "." + b64(b"wss://:443/ws")
    yield "a user name", good + "." + b64(b"wss://user@relay.example/ws")
    yield "a backslash", good + "." + b64(b"wss://a\\@relay.example/ws")
    yield "a fragment in the URL", good + "." + b64(b"wss://relay.example/ws#x")
    yield "a blank in the URL", good + "." + b64(b"wss://relay.example/w s")
    yield "a line end in the URL", good + "." + b64(b"wss://relay.example/ws\n")
    yield "NUL in the URL", good + "." + b64(b"wss://relay.example/\0ws")
    yield "not ASCII in the URL", good + "." + b64("wss://relay.example/é".encode())
    yield "a URL of 1,025 bytes", good + "." + b64(b"wss://h/" + b"p" * 1017)


LINKS = """\
# Link fragments (docs/protocol.md §1) as text, made by generate.py.
#
#     LINK daemon_pk=x… secret=x… ws_url="…" = fragment       both ways; "" when there is no URL
#     ! LINK = fragment                                       a fragment that must be refused
#
# Values as in messages.txt. The fragment is what stands between "= " and the line's end, as it is."""


def write_links():
    lines = [LINKS, ""]
    for pk, secret, url, text in good_links():
        lines.append(f"LINK daemon_pk=x{pk.hex()} secret=x{secret.hex()} ws_url={quoted(url)} = {text}")
    lines.append("")
    for reason, text in bad_links():
        lines += [f"# {reason}", f"! LINK = {text}"]
    (HERE / "links.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def main():
    write_messages("viewer.def", "messages.txt", "The viewer protocol's messages")
    write_messages("ipc.def", "ipc.txt", "The local socket's messages")
    write_messages("mux.def", "mux.txt", "The gate mux's messages")
    write_links()
    return 0


sys.exit(main())
