"""Files of a few bytes that cost a parser days or gigabytes, by name: code, notebooks and archives."""

import gzip
import io
import json
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable

from helpers.intake_class import tarred, zipped

_KIB = 1 << 10


def nested_finally(levels: int) -> str:
    """Python 3.11's compiler copies each inner one three times."""
    text = f"{' ' * levels}pass\n"
    for level in reversed(range(levels)):
        pad = " " * level
        text = f"{pad}try:\n{pad} return\n{pad}finally:\n{text}"
    return "def reserved_slots(limit):\n" + "".join(f" {line}\n" for line in text.splitlines())


def code() -> dict[str, str]:
    """Make code, each of at most 200 KiB; some of it ends in the first line of a real answer."""
    return {
        "nested finally": nested_finally(15),
        "nested finally, more": nested_finally(60),
        "nested if": "".join(f"{' ' * n}if 1:\n" for n in range(99)) + " " * 99 + "pass\n",
        "nested with": "".join(f"{' ' * n}with a as b:\n" for n in range(90)) + " " * 90 + "pass\n",
        "decorators": "@f\n" * 60_000 + "def reserved_slots(limit): return limit\n",
        "nested decorators": "@(" * 90 + "f" + ")" * 90 + "\ndef reserved_slots(limit): return limit\n",
        "lambdas": "reserved_slots = " + "lambda: " * 20_000 + "0\n",
        "brackets": "x = " + "(" * 100_000,
        "closed brackets": "x = " + "[" * 190 + "]" * 190 + "\n",
        "f-strings": "x = " + "f'{" * 100 + "1" + "}'" * 100 + "\n",
        "f-strings, other quotes": 'x = f\'{f"{f"""{1:{1:{1}}}"""}"}\'\n' * 4_000,
        "sums": "x = " + "1+" * 90_000 + "1\n",
        "powers": "x = " + "2**" * 60_000 + "2\n",
        "a large power": "x = 9**9**9**9\n",
        "a large shift": "x = 1 << 10**18\n",
        "a long text": "x = 'a' * 10**18\n",
        "signs": "x = " + "-" * 190_000 + "1\n",
        "nots": "x = " + "not " * 45_000 + "1\n",
        "attributes": "x = a" + ".b" * 90_000 + "\n",
        "calls": "x = a" + "()" * 90_000 + "\n",
        "items": "x = a" + "[0]" * 60_000 + "\n",
        "comparisons": "x = 1" + "<1" * 90_000 + "\n",
        "conditions": "x = " + "1 if 1 else " * 16_000 + "1\n",
        "elifs": "if 1: pass\n" + "elif 1: pass\n" * 14_000,
        "assignments": "a = " * 45_000 + "1\n",
        "comprehensions": "x = [" + "1 for a in b " * 14_000 + "]\n",
        "patterns": "match 1:\n case " + "[" * 150 + "]" * 150 + ": pass\n",
        "digits": "x = " + "9" * 190_000 + "\n",
        "strings": "x = " + "'' " * 60_000 + "\n",
        "escapes": "x = '" + "\\N{DIGIT ONE}" * 14_000 + "'\n",
        "many names": "".join(f"a{n} = {n}\n" for n in range(19_000)),
        "many statements": ";".join("a" for _ in range(95_000)) + "\n",
        "line joins": "x = 1 " + "\\\n" * 90_000 + "\n",
        "letters to combine": "e" + "\u0323\u0301" * 45_000 + " = 1\n",
        "blanks": "x" + " " * 190_000 + "= 1\n",
        "empty lines": "\n" * 190_000 + "def",
        "indented blanks": (" " * 400 + "\n") * 450,
        "quotes": "'" * 190_000,
        "odd quotes": "'a\"" * 60_000,
        "comment signs": "'#\"" * 60_000,
        "comments": "#" * 190_000 + "\n",
        "definitions without a name": "def " * 45_000,
        "asyncs": "async " * 30_000,
        "shell": "!a\n" * 60_000,
        "magic": "x = %a\n" * 25_000,
        "help": "a?\n" * 60_000,
        "unknown coding": "# coding: undefined\nx = 1\n",
        "coding of another kind": "# coding: zlib_codec\nx = 1\n",
        "coding with jumps": "# coding: utf-7\n+AAA-" * 100,
        "coding of names": "# coding: idna\n" + "x" * 100_000,
        "NULs": "x = 1\0" * 30_000,
        "half a letter": "x = '\ud800'\n",
    }


def notebook(*sources: str) -> bytes:
    """Return a notebook with these cells of code."""
    cells = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": source} for source in sources]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


_OPEN = b'{"nbformat": 4, "metadata": {}, "cells": '


def notebooks() -> dict[str, bytes]:
    """Make notebooks, each of the bombs of :func:`code` in a cell among them."""
    return {
        "lists": _OPEN + b"[" * 3_000_000,
        "closed lists": _OPEN + b"[" * 900_000 + b"]" * 900_000 + b"}",
        "objects": b'{"a":' * 900_000,
        "digits": _OPEN + b"[" + b"9" * 5_000_000 + b"]}",
        "fraction": _OPEN + b"[0." + b"9" * 5_000_000 + b"e999999999]}",
        "escapes": _OPEN + b'["' + b"\\ud83d" * 900_000 + b'"]}',
        "keys": b"{" + b",".join(b'"%d":0' % n for n in range(700_000)) + b"}",
        "empty cells": _OPEN + b"[" + b"{}," * 3_000_000 + b"{}]}",
        "nested metadata": _OPEN
        + b'[{"cell_type":"code","source":"","metadata":'
        + b'{"nbgrader":' * 90_000
        + b"}]}",
        "lines": notebook("\n" * 4_000_000),
        "not a number": _OPEN + b"[NaN, -Infinity]}",
        "UTF-16": notebook("x = 1").decode().encode("utf-16"),
        **{f"cell: {name}": notebook(source) for name, source in code().items()},
        "many cells": notebook(*["x = 1"] * 100_000),
        "many broken cells": notebook(*["x = ("] * 1_900),
    }


def _overlapping(entries: int) -> bytes:
    """Make a zip with many entries that share the same packed bytes (as Fifield's)."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    data = packer.compress(bytes(4 << 20)) + packer.flush()
    name = b"x.py"
    head = struct.pack(
        "<4s5H3L2H", b"PK\3\4", 20, 0, 8, 0, 33, zlib.crc32(bytes(4 << 20)), len(data), 4 << 20, 4, 0
    )
    body = head + name + data
    central = b""
    for number in range(entries):
        name = b"%d.py" % number
        central += struct.pack(
            "<4s6H3L5H2L", b"PK\1\2", 20, 20, 0, 8, 0, 33, 0, len(data), 4 << 20, len(name), 0, 0, 0, 0, 0, 0
        ) + name  # fmt: skip
    end = struct.pack(
        "<4s4H2LH", b"PK\5\6", 0, 0, entries % 65536, entries % 65536, len(central), len(body), 0
    )
    return body + central + end


def _header(name: str, size: int, kind: bytes) -> bytes:
    entry = tarfile.TarInfo(name)
    entry.type, entry.size = kind, size
    return entry.tobuf(tarfile.GNU_FORMAT)


def _records(data: bytes) -> bytes:
    padded = data + bytes(-len(data) % 512)
    return _header("pax", len(data), tarfile.XHDTYPE) + padded + _header("x.py", 0, tarfile.REGTYPE)


def _sparse(pieces: int) -> bytes:
    """Make a sparse file with a map of many pieces, as PAX 1.0 writes it."""
    data = b"%d\n" % pieces + b"0\n1\n" * pieces
    pax = b"22 GNU.sparse.major=1\n22 GNU.sparse.minor=0\n"
    return _records(pax)[:1024] + _header("x.py", len(data), tarfile.REGTYPE) + data + bytes(-len(data) % 512)


def _nested(levels: int) -> bytes:
    data = zipped({"reservation.py": b"x = 1\n"})
    for _ in range(levels):
        data = zipped({"a.zip": data})
    return data


def _many_parts() -> bytes:
    return gzip.compress(b"") * 100_000


def _many_entries(count: int) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as made:
        for number in range(count):
            made.writestr(zipfile.ZipInfo(f"{number}.py"), b"")
    return stream.getvalue()


ARCHIVES: dict[str, Callable[[], bytes]] = {
    "zeros.zip": lambda: zipped({"reservation.py": bytes(60 << 20)}),
    "overlapping.zip": lambda: _overlapping(2_000),
    "entries.zip": lambda: _many_entries(2_000),
    "nested.zip": lambda: _nested(300),
    "comment.zip": lambda: zipped({"x.py": b"1"})[:-2] + b"\xff\xff" + b"PK\5\6" * 16_000,
    "lzma.zip": lambda: zipped({"reservation.py": b"1"}, zipfile.ZIP_LZMA).replace(
        b"\x5d\0\0\x80\0", b"\x5d\xff\xff\xff\xff"
    ),
    "sizes.zip": lambda: zipped({"x.py": b"1" * 99}).replace(struct.pack("<L", 99), b"\xff\xff\xff\xff"),
    "zeros.tar.gz": lambda: gzip.compress(
        _header("reservation.py", 100 << 20, tarfile.REGTYPE) + bytes(100 << 20), 1
    ),
    "skipped.tar.gz": lambda: gzip.compress(
        _header("x.bin", 100 << 20, tarfile.REGTYPE) + bytes(100 << 20), 1
    ),
    "parts.tar.gz": _many_parts,
    "names.tar": lambda: (
        (_header("././@LongLink", 2, tarfile.GNUTYPE_LONGNAME) + b"x".ljust(512, b"\0")) * 20_000
    ),
    "long name.tar": lambda: _header("././@LongLink", 16 << 20, tarfile.GNUTYPE_LONGNAME) + b"a/" * (8 << 20),
    "blanks.tar": lambda: _records(b" " * (1 << 20)),
    "digits.tar": lambda: _records(b"1" * (1 << 20)),
    "records.tar": lambda: _records(b"6 a=b\n" * 170_000),
    "large records.tar": lambda: _records(b"20 path=aaaaaaaaaaa\n" * 100_000),
    "negative.tar": lambda: _records(b"14 size=-5120\n"),
    "huge size.tar": lambda: _records(b"30 size=9999999999999999999999"[:29] + b"\n"),
    "sparse.tar": lambda: _sparse(400_000),
    "members.tar.gz": lambda: gzip.compress(_header("x.py", 0, tarfile.REGTYPE) * 20_000, 1),
    "sources.tar.gz": lambda: gzip.compress(
        tarred({f"{n}.py": bytes(900 * _KIB) for n in range(60)}, "w"), 1
    ),
}
