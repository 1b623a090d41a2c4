"""Match options of a plan, checked against what the server knows."""

import shutil

from google.protobuf.duration_pb2 import Duration

from dragonhall.bots.registry import make_bot
from dragonhall.sdk import Client, DragonhallError
from dragonhall.tournament.plan import BadPlan, Plan
from dragonhall.v1 import catalog_service_pb2, game_pb2, match_pb2


async def options_of(client: Client, plan: Plan) -> match_pb2.MatchOptions:
    """Return the options of every match of a tournament.

    Raises:
        BadPlan: the server knows no such game, edition or number of seats, or a bot does not play.
    """
    try:
        game = await client.get_game(plan.game)
    except DragonhallError as refused:
        if refused.reason != "GAME_NOT_FOUND":
            raise
        raise BadPlan(f"the server knows no game {plan.game!r}") from refused
    limit = Duration()
    limit.FromMilliseconds(plan.move_limit_ms)
    _check_bots(plan)
    return match_pb2.MatchOptions(
        setup=_setup(game, plan),
        visibility=match_pb2.VISIBILITY_PRIVATE,
        clock=match_pb2.Clock(move_limit=limit, on_expiry=match_pb2.EXPIRY_ACTION_LOSE),
    )


def _setup(game: catalog_service_pb2.Game, plan: Plan) -> game_pb2.GameSetup:
    if not game.min_seats <= plan.seats <= game.max_seats:
        raise BadPlan(f"{game.name} has {game.min_seats} to {game.max_seats} seats")
    editions = {edition.name: edition for edition in game.editions}
    if plan.edition and plan.edition not in editions:
        raise BadPlan(f"{game.name} has the editions {', '.join(editions)}")
    setup = game_pb2.GameSetup()
    setup.CopyFrom(editions[plan.edition or game.editions[0].name].setup)
    own = getattr(setup, game.name)
    if "seats" in own.DESCRIPTOR.fields_by_name:
        own.seats = plan.seats
    return setup


def _check_bots(plan: Plan) -> None:
    for entrant in plan.entrants:
        try:
            if command := entrant.command:
                if shutil.which(command[0]) is None:
                    raise BadPlan(f"{entrant.name}: there is no command {command[0]!r}")
            elif not entrant.is_remote:
                make_bot(plan.game, entrant.how, 0)
        except ValueError as wrong:
            raise BadPlan(str(wrong)) from wrong
