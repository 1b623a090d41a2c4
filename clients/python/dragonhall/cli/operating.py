"""What operators ask of one server, printed."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

from dragonhall.cli.connecting import TLS, require_address
from dragonhall.cli.mistakes import Mistake, Unreachable
from dragonhall.cli.showing import cause_text, json_line, match_line
from dragonhall.sdk import DragonhallError, Retry
from dragonhall.sdk.admin import AdminClient
from dragonhall.v1 import admin_service_pb2 as pb

_HASTE = Retry(budget_s=2.0)
_POLL_S = 0.5


@asynccontextmanager
async def operator(server: str, token_file: Path | None) -> AsyncIterator[AdminClient]:
    """Yield a client of an operators' listener.

    Raises:
        Mistake: the address or the file is none.
        Unreachable: nobody answers there.
    """
    require_address(server)
    if token_file is None:
        raise Mistake("name the file of the operators' tokens: --token-file")
    try:
        tokens = token_file.read_text().split()
    except (OSError, UnicodeDecodeError) as failed:
        raise Mistake(f"--token-file {token_file}: {failed}") from None
    if not tokens:
        raise Mistake(f"--token-file {token_file} holds no token")
    try:
        async with AdminClient(server, tokens[0], _HASTE, TLS.get()) as client:
            yield client
    except DragonhallError as failed:
        # gRPC itself refused: it gives no reason but its code.
        silent = failed.reason in ("UNAVAILABLE", "DEADLINE_EXCEEDED")
        raise (Unreachable(server) if silent else failed) from None


async def inspect(server: str, token_file: Path | None, match_id: str, *, as_json: bool) -> None:
    """Print what everybody may know of a match."""
    async with operator(server, token_file) as client:
        told = await client.inspect_match(match_id)
    print(json_line(told) if as_json else "\n".join(inspection_lines(told)))


async def end_match(server: str, token_file: Path | None, match_id: str) -> None:
    """End a match."""
    async with operator(server, token_file) as client:
        print(match_line(await client.end_match(match_id)))


async def list_stuck(
    server: str, token_file: Path | None, overdue_s: float, *, as_json: bool
) -> None:
    """Print a line for each match that is stuck."""
    async with operator(server, token_file) as client:
        for stuck in await client.list_stuck_matches(timedelta(seconds=overdue_s)):
            print(json_line(stuck) if as_json else stuck_line(stuck))


async def revoke(
    server: str, token_file: Path | None, bot: str, match_id: str, seat: int | None
) -> None:
    """Take the token of a bot or of a seat away."""
    if bool(bot) == bool(match_id) or (seat is None) != (not match_id):
        raise Mistake("give --bot, or --match and --seat")
    async with operator(server, token_file) as client:
        if seat is None:
            await client.revoke_bot(bot)
            print(f"{bot} is withdrawn")
        else:
            print(match_line(await client.revoke_seat(match_id, seat)))


async def drain(server: str, token_file: Path | None, *, until_left: bool) -> None:
    """Take a server out of service and print how far it is; or wait until nobody calls it."""
    async with operator(server, token_file) as client:
        told = await client.drain_server()
        while until_left and not (told.drained and not told.open_calls):
            await asyncio.sleep(_POLL_S)
            told = await client.drain_server()
    state = "drained" if told.drained else "draining"
    print(f"{server} is {state}; open calls: {told.open_calls}")


def inspection_lines(told: pb.InspectMatchResponse) -> list[str]:
    """Return a match as an operator sees it."""
    match = told.match
    lines = [match_line(match)]
    for seat in match.seats:
        holder = f"bot {seat.bot}" if seat.bot else "player"
        moves = match.HasField("seat_to_move") and match.seat_to_move == seat.seat
        lines.append(
            f"  seat {seat.seat}: {f'{holder} {seat.player_name!r}' if seat.taken else 'open'}"
            + ("  to move" if moves else "")
        )
    if match.HasField("clock"):
        lines.append(f"  out of time at {match.clock.due_time.ToJsonString()}")
    if told.HasField("overdue"):
        lines.append(f"  overdue by {told.overdue.ToTimedelta()}")
    if match.HasField("outcome"):
        lines.append(f"  over: {cause_text(match.outcome.cause)}")
    return lines


def stuck_line(stuck: pb.StuckMatch) -> str:
    """Return a stuck match as one line."""
    why = pb.StuckReason.Name(stuck.reason).removeprefix("STUCK_REASON_").lower()
    if not stuck.HasField("match"):
        return f"{stuck.match_id}  {why}"
    return f"{match_line(stuck.match)}  {why} by {stuck.overdue.ToTimedelta()}"
