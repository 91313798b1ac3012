"""What the jail refused, as the kernel reports it: seccomp's user notifications.

The kernel stops a refused call and shows it on a descriptor that only the trusted side holds, so an
attempt is seen even when the submission hides it. Flags inform the instructor; they never change a score.
"""

from __future__ import annotations

import errno
import fcntl
import os
import struct

from grader.sandbox.inside import syscalls

_RECEIVE, _SEND = 0xC0502100, 0xC0182101
_NOTIFICATION, _RESPONSE = struct.Struct("QIIiIQ6Q"), struct.Struct("QqiI")
# Each notification costs the trusted side a wake-up; a submission that floods gets no more of them.
MOST_SEEN = 200


class Denials:
    """The refused calls of one child."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.flags: set[str] = set()
        self._seen = 0
        self._telling = syscalls.telling()

    def take(self) -> None:
        """Read one notification and answer it with EPERM; after too many, stop listening."""
        notice = bytearray(_NOTIFICATION.size)
        try:
            fcntl.ioctl(self.descriptor, _RECEIVE, notice)
            identifier, _pid, _flags, number, *_rest = _NOTIFICATION.unpack(notice)
            if flag := self._telling.get(number):
                self.flags.add(flag)
            fcntl.ioctl(self.descriptor, _SEND, _RESPONSE.pack(identifier, 0, -errno.EPERM, 0))
        except OSError:
            # The child ended between the two; its channel tells the rest.
            self._seen = MOST_SEEN
        self._seen += 1
        if self._seen > MOST_SEEN:
            self.close()

    def close(self) -> None:
        """Stop listening: further refused calls fail without being seen."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1
