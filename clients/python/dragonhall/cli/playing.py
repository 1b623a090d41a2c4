"""`dragonhall play`: finds or opens a match for a person, brings the bots, and says goodbye."""

import asyncio
import base64
import hashlib
import hmac
import secrets
from dataclasses import dataclass
from pathlib import Path

from dragonhall.bots.bot import Bot
from dragonhall.bots.player import play_seat
from dragonhall.cli.choosing import ClockChoice, choose_bot, choose_setup, find_game
from dragonhall.cli.connecting import connected_or_own, require_token
from dragonhall.cli.keyboard import Keyboard
from dragonhall.cli.mistakes import Mistake
from dragonhall.cli.session import End, Session
from dragonhall.cli.showing import json_line
from dragonhall.sdk import Client, MatchNotFound, new_token
from dragonhall.v1 import match_pb2
from dragonhall.v1.match_service_pb2 import GetReplayResponse

OPEN = "open"
"""Instead of a bot's name: the seat is left to somebody else."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What the person asked for.

    Attributes:
        server: host:port; empty: a server of its own.
        match_id: of a match that exists; empty: a new one.
        token: of the person's seat; empty: a new one.
        bots: one for each other seat, or one for all of them.
        seats: how many; None: what the bots make, or the fewest.
        seat: the person's, in a new match.
        seed: repeats a deal; None: nobody chooses it.
        save: where the finished match goes, for `replay` and `verify`.
    """

    server: str
    match_id: str
    token: str
    name: str
    game: str
    edition: str
    bots: tuple[str, ...]
    seats: int | None
    seat: int
    seed: int | None
    clock: ClockChoice
    save: Path | None


async def play_match(wish: Wish, keyboard: Keyboard) -> int:
    """Play, and return the exit code: 130 if the input ended before the match did."""
    require_token(wish.token)
    if wish.match_id and not wish.server:
        raise Mistake("--match needs the --server that has it")
    if wish.save and (wish.save.is_dir() or not wish.save.parent.is_dir()):
        raise Mistake("--save names a file in a folder that exists")
    async with connected_or_own(wish.server) as (target, client):
        token = wish.token or new_token()
        match_id = wish.match_id or await _open(client, wish, token)
        if wish.match_id:
            await _take_seat(client, wish, token)
        elif OPEN in wish.bots:
            print(f"Others may join: dragonhall play --server {target} --match {match_id}")
        end = End.INPUT_ENDED
        try:
            end = await _play(client, match_id, token, keyboard)
        finally:
            if end is not End.OVER:
                _say_how_to_come_back(wish, match_id, token)
        if end is End.OVER:
            await _say_what_to_do_now(client, wish, match_id, token)
    return 130 if end is End.INPUT_ENDED else 0


# ---- the match ----------------------------------------------------------------------------------


async def _open(client: Client, wish: Wish, token: str) -> str:
    game = await find_game(client, wish.game)
    seats = wish.seats or max(game.min_seats, len(wish.bots) + 1)
    setup = choose_setup(game, wish.edition, seats)
    bots = wish.bots * (seats - 1) if len(wish.bots) == 1 else wish.bots
    if len(bots) != seats - 1:
        raise Mistake(f"--bot names one bot, or one for each of the {seats - 1} other seats")
    for bot in bots:
        if bot != OPEN:
            choose_bot(game.name, bot, 0)
    if not 0 <= wish.seat < seats:
        raise Mistake(f"--seat is 0 to {seats - 1}")
    options = match_pb2.MatchOptions(
        setup=setup, visibility=match_pb2.VISIBILITY_PRIVATE, clock=wish.clock.to_proto()
    )
    match = await _create(client, wish.seed, token, options)
    await _fill(client, match.match_id, token, wish, bots)
    return match.match_id


async def _create(
    client: Client, seed: int | None, token: str, options: match_pb2.MatchOptions
) -> match_pb2.Match:
    if seed is None:
        return await client.create_match(token, options)
    luck = hashlib.sha512(f"dragonhall-play {seed}".encode()).digest()
    return await client.create_match(token, options, deal_id=f"play-{seed}", seed=luck)


async def _fill(
    client: Client, match_id: str, token: str, wish: Wish, bots: tuple[str, ...]
) -> None:
    """Take the seats in order, so that the last one deals while everybody is there."""
    names = [*bots[: wish.seat], "", *bots[wish.seat :]]
    for seat, bot in enumerate(names):
        if seat == wish.seat:
            share = b"" if wish.seed is not None else secrets.token_bytes(32)
            await client.join_match(
                match_id, token, seat=seat, player_name=wish.name, contribution=share
            )
        elif bot != OPEN:
            bots_own = bot_token(token, seat)
            await client.join_match(match_id, bots_own, seat=seat, player_name=bot)


def bot_token(token: str, seat: int) -> str:
    """Derive the token of a bot's seat from the person's, who so can bring it back later."""
    digest = hmac.digest(token.encode(), f"dragonhall play: bot at seat {seat}".encode(), "sha256")
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


async def _take_seat(client: Client, wish: Wish, token: str) -> None:
    """Come back to the token's seat, or take an open one with a new token."""
    if not wish.token:
        share = secrets.token_bytes(32)
        await client.join_match(wish.match_id, token, player_name=wish.name, contribution=share)
    elif not (await client.get_match(wish.match_id, token)).HasField("seat"):
        raise Mistake("--token holds no seat of this match")


# ---- the players --------------------------------------------------------------------------------


async def _play(client: Client, match_id: str, token: str, keyboard: Keyboard) -> End:
    async with asyncio.TaskGroup() as players:
        bots = [
            players.create_task(play_seat(client, match_id, own, seat, bot))
            for seat, own, bot in await _own_bots(client, match_id, token)
        ]
        try:
            return await Session(client, match_id, token, keyboard).play()
        finally:
            for bot in bots:
                bot.cancel()


async def _own_bots(client: Client, match_id: str, token: str) -> list[tuple[int, str, Bot]]:
    """Find the seats that bots of the person's hold: seat, token and bot of each."""
    match = (await client.get_match(match_id, token)).match
    game = match.options.setup.WhichOneof("game") or ""
    found: list[tuple[int, str, Bot]] = []
    for seat in match.seats:
        own = bot_token(token, seat.seat)
        if seat.taken and await _holds(client, match_id, own, seat.seat):
            found.append((seat.seat, own, choose_bot(game, seat.player_name, seat.seat)))
    return found


async def _holds(client: Client, match_id: str, token: str, seat: int) -> bool:
    try:
        seen = await client.get_match(match_id, token)
    except MatchNotFound:
        return False
    return seen.HasField("seat") and seen.seat == seat


# ---- goodbye ------------------------------------------------------------------------------------


def _say_how_to_come_back(wish: Wish, match_id: str, token: str) -> None:
    if wish.server:
        print("\nThe match is not over. To come back:")
        print(f"  dragonhall play --server {wish.server} --match {match_id} --token {token}")
    else:
        print("\nThe match ran on a server of its own and is gone; with --server it would be kept.")


async def _say_what_to_do_now(client: Client, wish: Wish, match_id: str, token: str) -> None:
    if wish.save:
        _save(wish.save, await client.get_replay(match_id, token))
    elif wish.server:
        print("To check that the deal was fair:")
        print(f"  dragonhall verify {match_id} --server {wish.server} --token {token}")


def _save(path: Path, replay: GetReplayResponse) -> None:
    try:
        path.write_text(json_line(replay) + "\n", encoding="utf-8")
    except OSError as failed:
        raise Mistake(f"{path} cannot be written: {failed.strerror}") from None
    print(f"Saved. To see it or check it: dragonhall replay {path}, dragonhall verify {path}")
