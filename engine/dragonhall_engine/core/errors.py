"""What can be wrong with a call of the engine, and which rule a move breaks."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Violation:
    """Which rule a move breaks.

    Every field is a public fact: it names nothing that the mover's opponents may not know.

    Attributes:
        rule: the rule's number, such as `DH-4.2`.
        code: a stable word for programs, such as `TARGET_REQUIRED`.
        message: one sentence for people.
    """

    rule: str
    code: str
    message: str


class EngineError(Exception):
    """Base of everything the engine raises on purpose."""


class IllegalMove(EngineError):
    """A move breaks a rule; the state is unchanged."""

    def __init__(self, violation: Violation) -> None:
        super().__init__(f"{violation.rule} {violation.code}: {violation.message}")
        self.violation = violation


class InvalidSeat(EngineError):
    """The match has no such seat."""


class InvalidSetup(EngineError):
    """No match can be dealt with this edition, number of seats or option."""


class NotationError(EngineError):
    """A text is not the notation of a card, move or state; the text is echoed nowhere."""


class CorruptData(EngineError):
    """Stored bytes are not what an encoder of this package wrote."""


class FormatTooNew(EngineError):
    """Stored bytes were written by a newer release in a format this one does not know."""
