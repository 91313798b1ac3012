"""Read Gradescope's export: ``submission_{id}/...``, and ``submission_metadata.yml`` with their submitters.

The metadata's keys begin with a colon (``:submitters``, ``:sid``). Several submitters are a group. Only the
latest attempt is exported.
"""

import importlib
import re
from typing import Any

from grader.intake.handin import Sender, Setting, SortedTree, handed_in, share_named
from grader.sources.archives import GRADESCOPE_METADATA
from grader.sources.tree import Tree, UnreadableError

LABEL = "Gradescope's export"

_FOLDER = re.compile(r"submission_\d+")
_MAX_BYTES = 32 << 20  # bytes: it repeats the results of every test of every attempt


def recognise(tree: Tree, _setting: Setting) -> float:
    """Return the share of the folders with a name of Gradescope's, or 0 without metadata."""
    share = share_named(tree, folder=_FOLDER.fullmatch, file=lambda name: name == GRADESCOPE_METADATA)
    return share if GRADESCOPE_METADATA in tree.files else 0.0


def hand_ins(tree: Tree, setting: Setting) -> SortedTree:
    """Return one hand-in for each submission in the metadata, and for each other folder."""
    metadata = _load(tree)
    found = []
    for top in sorted({*tree.tops, *metadata}):
        about = metadata[top] if isinstance(metadata.get(top), dict) else {}
        listed = about.get(":submitters")
        senders = []
        for person in listed if isinstance(listed, list) else ():
            if isinstance(person, dict):
                name, sid, email = (_text(person.get(key)) for key in (":name", ":sid", ":email"))
                senders.append(Sender(sid or email or name, "gradescope_id", name, email))
        created = about.get(":created_at")
        # Ruby writes a time with a zone as a mapping with the same time in UTC.
        came = _text(created.get("utc") if isinstance(created, dict) else created) or None
        members = tree.below(top).members
        found.append(handed_in(senders or [Sender(top)], members, top, came=came, zone=setting.zone))
    return SortedTree(tuple(found), tuple(m for name, m in tree.files.items() if name != GRADESCOPE_METADATA))


def _text(value: object) -> str:
    """Return a text of at most 1000 characters; for any other value an empty one."""
    return value[:1000] if isinstance(value, str) else ""


def _load(tree: Tree) -> dict[str, Any]:
    """Return the metadata with every value as text: an id keeps its leading zeros."""
    yaml = importlib.import_module("yaml")  # only this platform needs it

    if GRADESCOPE_METADATA not in tree.files:
        raise UnreadableError(f"is not an export of Gradescope: it has no {GRADESCOPE_METADATA}")
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        data = tree.files[GRADESCOPE_METADATA].read(_MAX_BYTES)
        loaded = yaml.load(data, Loader=loader)  # builds text, lists, dicts
    except UnreadableError as error:
        raise UnreadableError(f"is not readable: its {GRADESCOPE_METADATA} {error}") from None
    except (yaml.YAMLError, UnicodeError, RecursionError):
        raise UnreadableError(f"is not readable: its {GRADESCOPE_METADATA} is damaged") from None
    if not isinstance(loaded, dict):
        raise UnreadableError(f"is not readable: its {GRADESCOPE_METADATA} lists no submissions")
    return loaded
