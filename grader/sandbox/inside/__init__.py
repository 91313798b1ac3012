"""The code that runs inside the jail. It imports the standard library alone.

- ``zygote``: the process that forks one child per submission; runs in bubblewrap where there is one.
- ``jail``, ``syscalls``: run in the child, before any code of the submission.
- ``serve``: runs in the child, beside the submission; nothing that it sends is trusted.
- ``wire``: runs on both sides; the trusted side relies on ``decode``, ``loads`` and ``next_body`` alone.
"""
