"""A zip of files that we made: the same members give the same bytes, whoever makes it and when."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Collection, Mapping

_LONG_AGO = (1980, 1, 1, 0, 0, 0)
_UNIX = 3


def archive_bytes(members: Mapping[str, bytes], executable: Collection[str] = ()) -> bytes:
    """A zip of these members, sorted, without times; those in ``executable`` can be run."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name in sorted(members):
            member = zipfile.ZipInfo(name, _LONG_AGO)
            member.create_system = _UNIX
            member.external_attr = (0o100755 if name in executable else 0o100644) << 16
            # Stored: a compressor's output for the same bytes differs between versions of zlib.
            archive.writestr(member, members[name], zipfile.ZIP_STORED)
    return data.getvalue()
