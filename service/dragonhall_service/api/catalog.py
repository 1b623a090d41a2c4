"""The RPCs of CatalogService: what this server is and which games it knows."""

from collections.abc import Mapping
from importlib.metadata import version

from dragonhall.v1 import catalog_service_pb2 as pb
from dragonhall.v1 import catalog_service_pb2_grpc
from dragonhall_engine.core import rng
from dragonhall_service.api import validation
from dragonhall_service.api.boundary import Context
from dragonhall_service.api.limits import MAX_REQUEST_BYTES
from dragonhall_service.api.mapping.games import MAPPINGS
from dragonhall_service.api.mapping.texts import text_to_proto
from dragonhall_service.ports import AnyGame
from dragonhall_service.texts.reading import LANGUAGES, GameText
from dragonhall_service.usecases.refusals import Reason, Refusal

_MOST_GAMES, _GAMES = 100, 50


class CatalogService(catalog_service_pb2_grpc.CatalogServiceServicer):
    """Implements dragonhall.v1.CatalogService."""

    def __init__(
        self, games: Mapping[str, AnyGame], texts: Mapping[str, Mapping[str, GameText]]
    ) -> None:
        """Take the engine's registry, and the texts by game and language."""
        self._games = dict(sorted(games.items()))
        self._texts = texts

    async def GetServerInfo(
        self, request: pb.GetServerInfoRequest, context: Context
    ) -> pb.GetServerInfoResponse:
        """Return the server's version and limits."""
        return pb.GetServerInfoResponse(
            server_version=version("dragonhall"),
            max_request_bytes=MAX_REQUEST_BYTES,
            rng_versions=[rng.VERSION],
        )

    async def ListGames(
        self, request: pb.ListGamesRequest, context: Context
    ) -> pb.ListGamesResponse:
        """List the games by name; the page token is the number of those already given."""
        size = validation.page_size(request.page_size, default=_GAMES, most=_MOST_GAMES)
        first = validation.page_number(request.page_token) or 0
        games = list(self._games.values())
        more = str(first + size) if first + size < len(games) else ""
        page = [_game(game) for game in games[first : first + size]]
        return pb.ListGamesResponse(games=page, next_page_token=more)

    async def GetGame(self, request: pb.GetGameRequest, context: Context) -> pb.GetGameResponse:
        """Return one game with its text."""
        game = self._games.get(request.name)
        if game is None:
            raise Refusal(Reason.GAME_NOT_FOUND, "this server knows no such game; see ListGames")
        language = validation.language(request.language, LANGUAGES)
        found = _game(game)
        found.text.CopyFrom(text_to_proto(self._texts[game.NAME][language]))
        return pb.GetGameResponse(game=found)


def _game(game: AnyGame) -> pb.Game:
    most = game.SEATS.stop - 1
    editions = [
        pb.Edition(
            name=edition,
            ruleset=game.ruleset(edition),
            setup=MAPPINGS[game.NAME].setup_to_proto(edition, most),
        )
        for edition in game.EDITIONS
    ]
    return pb.Game(
        name=game.NAME,
        min_seats=game.SEATS.start,
        max_seats=most,
        editions=editions,
        languages=LANGUAGES,
    )
