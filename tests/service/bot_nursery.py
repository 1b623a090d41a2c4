"""Starts bot processes quickly: it has imported everything, and forks one for each line it reads.

A line is a server and a seed; the answer is the pid of a process that plays there until it is
killed. gRPC is first used in the child, so that the fork is safe.
"""

import asyncio
import os
import random
import signal
import sys
import time

from dragonhall.sdk import Client
from dragonhall.v1 import bot_service_pb2 as pb

MOST_THINKING_S = 0.03


async def play(server: str, token: str, seed: int) -> None:
    """Play random moves, each after a moment of thought."""
    luck = random.Random(seed)

    def choose(turn: pb.PlayTurn) -> int:
        time.sleep(luck.uniform(0, MOST_THINKING_S))
        return luck.randrange(len(turn.moves))

    async with Client(server) as client:
        await client.play(token, choose)


def main(token: str) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for them
    for line in sys.stdin:
        server, seed = line.split()
        if not (pid := os.fork()):
            asyncio.run(play(server, token, int(seed)))
            os._exit(0)
        print(pid, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
