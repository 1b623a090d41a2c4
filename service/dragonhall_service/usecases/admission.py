"""How many watches one server holds open, and which gives way to which."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from dragonhall_service.credentials import Caller
from dragonhall_service.usecases.refusals import OverQuota

WATCHES_PER_SEAT = 4
"""A token may watch one match this often at once; the oldest gives way to a further one."""


@dataclass(eq=False, slots=True)
class Ticket:
    """An admitted watch.

    Attributes:
        wake: makes the watch look at its ticket.
        superseded: a newer one has taken its place.
    """

    wake: Callable[[], None] = lambda: None
    superseded: bool = False


class Admission:
    """The open watches of one process."""

    def __init__(
        self, most: int, most_per_token: int, is_free: Callable[[Caller], bool] = lambda _: False
    ) -> None:
        """Take how many may be open at once in all, and for one token unless it is free."""
        self._most = most
        self._most_per_token = most_per_token
        self._is_free = is_free
        self._open = 0
        self._of_actor: Counter[str] = Counter()
        self._of_seat: defaultdict[tuple[str, str], list[Ticket]] = defaultdict(list)

    @contextmanager
    def enter(self, caller: Caller, match_id: str) -> Iterator[Ticket]:
        """Hold a place while the context lasts.

        Raises:
            Refusal: QUOTA.
        """
        actor, bound = caller.actor, not self._is_free(caller)
        if self._open >= self._most:
            raise OverQuota("this server has no room for another watch")
        if actor and bound and self._of_actor[actor] >= self._most_per_token:
            raise OverQuota(f"a token may hold {self._most_per_token} watches at once")
        ticket = Ticket()
        self._open += 1
        self._of_actor[actor] += 1
        if actor:
            self._take_place(ticket, self._of_seat[actor, match_id])
        try:
            yield ticket
        finally:
            self._leave(ticket, actor, match_id)

    def _take_place(self, ticket: Ticket, others: list[Ticket]) -> None:
        others.append(ticket)
        for oldest in others[:-WATCHES_PER_SEAT]:
            oldest.superseded = True
            oldest.wake()

    def _leave(self, ticket: Ticket, actor: str, match_id: str) -> None:
        self._open -= 1
        self._of_actor[actor] -= 1
        if not self._of_actor[actor]:
            del self._of_actor[actor]
        if actor:
            others = self._of_seat[actor, match_id]
            others.remove(ticket)
            if not others:
                del self._of_seat[actor, match_id]
