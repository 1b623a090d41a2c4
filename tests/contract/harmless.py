"""What a fuzzer may see accepted, by the field that was spoilt: it is good, or says nothing.

Whatever else is accepted is a check that has gone.
"""

import re
from collections.abc import Iterable

_NOTHING = r"another wire type|unknown inside|empty inside|every member of the oneof"
"""A receiver takes a field of another wire type for an unknown one; of a oneof the last counts."""
_SMALL = r"number (0|1|2|7|255|256|4294967296|9007199254740993|-9223372036854775808)"
"""Whole numbers that are in range, or are once their low 32 bits are taken."""
_BY_FIELD = {
    r"bytes": r".*",  # noise: it may still be a message
    r"request_id|deal_id": r"minus|null",
    r"player_name": r"missing|empty|blank|format|glob|key|minus|null|other digits|path|quote|script"
    r"|unassigned|wide",
    r"name|bot|registration_key": r"null",
    r"page_token|resume_token|language": r"empty|null",
    r"notation|dragonheart|dragonkeepers|phase": r"missing",
    r"notation": r"empty",
    r"contribution": r"(0|1|31|32|33|63) bytes",
    r"auto_pass|after_version": r"number -?\d+",
    r"page_size|capacity|seconds|nanos": _SMALL,
    r"phase|visibility|edition|seats|start_seat|seat|slot|with_crystal": _SMALL,
    r"pong": r"field number 0 inside",
}


def worrying(accepted: Iterable[str]) -> list[str]:
    """Return those of the accepted cases, `Method path: kind`, that should have been refused."""
    return sorted(case for case in accepted if not _is_harmless(case))


def _is_harmless(case: str) -> bool:
    _, path, kind = re.fullmatch(r"(\w+) ([\w.]+): (.*)", case).groups()  # type: ignore[union-attr]
    field = path.rpartition(".")[2]
    return bool(re.fullmatch(_NOTHING, kind)) or any(
        re.fullmatch(fields, field) and re.fullmatch(kinds, kind)
        for fields, kinds in _BY_FIELD.items()
    )
