"""Look at a real trace through your own five functions. There are no points for it: ``python explore.py``.

``kit/trace.txt`` has the lengths of 4,000 requests that a service really answered: the tokens of the question
and of the answer together. They come from Azure's LLM inference trace of 2023 (AzurePublicDataset,
Microsoft, licence CC-BY 4.0; P. Patel and others, "Splitwise: Efficient Generative LLM Inference Using Phase
Splitting").
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

POOL = 131_072  # slots
MAX_LEN = 8_192  # slots of a region: no request of the trace is longer
BLOCK = 16  # slots of a block
WIDTH = 60  # columns of a bar


class Trouble(Exception):  # noqa: N818 - it is a sentence for the student
    """One of the functions gave no answer that can be used; the text says which, and why."""


def read_trace() -> dict[str, list[int]]:
    """Read the lengths of the requests, in tokens, by the kind of service."""
    lines = Path(__file__).with_name("kit").joinpath("trace.txt").read_text(encoding="utf-8").splitlines()
    named = (line.split(":") for line in lines if ":" in line and not line.startswith("#"))
    return {name: [int(length) for length in lengths.split()] for name, lengths in named}


def measure(functions: Any, lengths: list[int]) -> dict[str, float]:
    """Share out the pool in both ways, and count with the given functions.

    ``regions`` fit; of what all requests would reserve the share ``idle`` is idle. With paging the first
    ``sequences`` requests fit; they hold ``held`` slots, ``slack`` of them without a token.
    """
    regions = ask(functions, "extra_reservations", POOL, MAX_LEN, 0)
    reserved = ask(functions, "reserved_slots", regions, MAX_LEN)
    idle = ask(functions, "waste_fraction", lengths, MAX_LEN, most=1)
    sequences, held = 0, 0
    while sequences < len(lengths):
        more = ask(functions, "paged_slots", lengths[: sequences + 1], BLOCK)
        if more > POOL:
            break
        sequences, held = sequences + 1, more
    used = ask(functions, "used_slots", lengths[:sequences], MAX_LEN)
    if used > held:
        raise Trouble(f"used_slots counts {used} tokens in {held} slots, which cannot be: run pytest.")
    return {
        "regions": regions,
        "reserved": reserved,
        "idle": idle,
        "sequences": sequences,
        "held": held,
        "slack": held - used,
    }


def ask(functions: Any, name: str, *arguments: Any, most: int = 10**9) -> Any:
    """Call one of the functions, and return its number.

    Raises:
        Trouble: It gave none, or one that cannot be.
    """
    shown = ", ".join(f"{len(one)} lengths" if isinstance(one, list) else str(one) for one in arguments)
    call = f"{name}({shown})"
    given = [list(one) if isinstance(one, list) else one for one in arguments]
    try:
        answer = getattr(functions, name)(*given)
    except NotImplementedError as error:
        raise Trouble(f"{name} is not started: {error}.") from None
    except AttributeError:
        if not hasattr(functions, name):
            raise Trouble(f"reservation.py has no {name}.") from None
        raise Trouble(f"{call} raised AttributeError: run pytest.") from None
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a student's function raises
        raise Trouble(f"{call} raised {type(error).__name__}: {str(error)[:200]}") from None
    if isinstance(answer, bool) or not isinstance(answer, (int, float)) or not 0 <= answer <= most:
        raise Trouble(f"{call} gave {repr(answer)[:60]}, which cannot be: run pytest.")
    return answer


def bar(share: float, sign: str) -> str:
    """Draw a share of tokens, and what is left as signs."""
    tokens = round((1 - share) * WIDTH)
    return f"  [{'#' * tokens}{sign * (WIDTH - tokens)}]"


def report(functions: Any, trace: dict[str, list[int]]) -> str:
    """Write what the functions make of the trace, as text with bars."""
    lines = [f"A pool of {POOL} slots; # holds a token, . is reserved and idle, - is slack in a block."]
    for name, lengths in trace.items():
        found = measure(functions, lengths)
        slack = found["slack"] / found["held"] if found["held"] else 0.0
        first = (
            f"Regions of {MAX_LEN}: {found['regions']} fit and reserve {found['reserved']} slots; "
            f"{found['idle']:.1%} of what all requests reserve is idle."
        )
        second = (
            f"Blocks of {BLOCK}: the first {found['sequences']} requests fit; "
            f"{slack:.1%} of their {found['held']} slots are slack."
        )
        lines += ["", f"{name}: {len(lengths)} requests", first, bar(found["idle"], ".")]
        lines += [second, bar(slack, "-")]
    return "\n".join(lines)


def main() -> int:
    """Print the report, or the sentence that says what is in its way; 0 if it worked."""
    path = Path(__file__).with_name("reservation.py")
    sys.path.insert(0, str(path.parent))
    try:
        spec = importlib.util.spec_from_file_location("reservation", path)
        functions = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]
        spec.loader.exec_module(functions)  # type: ignore[union-attr]
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a student's file raises
        print(f"reservation.py could not be imported ({type(error).__name__}: {error}): run pytest.")  # noqa: T201
        return 1
    try:
        print(report(functions, read_trace()))  # noqa: T201
    except Trouble as trouble:
        print(trouble)  # noqa: T201
        return 1
    except KeyboardInterrupt:
        print("Stopped: does every loop of your functions come to an end?")  # noqa: T201
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
