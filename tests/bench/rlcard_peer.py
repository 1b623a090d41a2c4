"""The engine's peer: random gin rummy of RLCard, run by a Python that has it.

`python rlcard_peer.py SECONDS` prints JSON: playouts and moves per second of processor time,
through RLCard's environment with its own random agents, and of its bare game.
"""

import json
import sys
import time
from collections.abc import Callable
from random import Random

import rlcard
from rlcard.agents import RandomAgent


def rates(playout: Callable[[], int], seconds: float) -> dict[str, float]:
    games, moves, begun = 0, 0, time.process_time()
    while (spent := time.process_time() - begun) < seconds:
        moves += playout()
        games += 1
    return {"playouts": games / spent, "moves": moves / spent}


def main() -> None:
    seconds = float(sys.argv[1])
    environment = rlcard.make("gin-rummy", config={"seed": 7})
    agent = RandomAgent(num_actions=environment.num_actions)
    environment.set_agents([agent] * environment.num_players)
    random = Random(7).random

    def agents() -> int:
        environment.run()
        return len(environment.action_recorder)

    def bare() -> int:
        game = environment.game
        game.init_game()
        while not game.is_over():
            actions = game.judge.get_legal_actions()
            game.step(actions[int(random() * len(actions))])
        return len(game.actions)

    print(json.dumps({"environment": rates(agents, seconds), "bare game": rates(bare, seconds)}))


if __name__ == "__main__":
    main()
