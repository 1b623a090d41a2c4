"""CatalogService.GetGame through a real channel: languages, sizes, refusals."""

from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
from google.protobuf.json_format import MessageToDict

from dragonhall.v1 import catalog_service_pb2 as pb
from dragonhall.v1 import catalog_service_pb2_grpc
from dragonhall_engine.registry import GAMES
from dragonhall_service.app import running_server
from dragonhall_service.config import Settings
from dragonhall_service.texts.reading import LANGUAGES
from tests.service.driver import info_of
from tests.service.texts import ALL

CLIENTS_LIMIT = 4 * 1024 * 1024


@pytest.fixture
async def catalog(one_store_url: str) -> AsyncIterator[Any]:
    settings = Settings(redis_url=one_store_url, listen="127.0.0.1:0", drain_s=0)
    async with (
        running_server(settings) as server,
        grpc.aio.insecure_channel(server.target) as channel,
    ):
        yield catalog_service_pb2_grpc.CatalogServiceStub(channel)


async def test_every_game_is_told_in_every_language(catalog: Any) -> None:
    for name in GAMES:
        for language in LANGUAGES:
            answer = await catalog.GetGame(pb.GetGameRequest(name=name, language=language))
            assert answer.ByteSize() < CLIENTS_LIMIT / 50
            told, text = answer.game.text, ALL[name][language]
            assert answer.game.languages == list(LANGUAGES)
            assert (told.language, told.title, told.rules) == (language, text.title, text.rules)
            for group, known in zip(told.groups, text.groups, strict=True):
                assert (group.name, group.each_seat) == (known.name, known.each_seat)
                assert [
                    (part.code, part.name, part.enum_value, part.count) for part in group.components
                ] == [
                    (part.code, part.name, part.enum_value, part.count) for part in known.components
                ]
                assert all(
                    part.count == sum(face.count for face in part.faces)
                    for part in group.components
                )


async def test_a_card_and_an_option_are_told_in_full(catalog: Any) -> None:
    request = pb.GetGameRequest(name="dragonheart", language="de")
    text = MessageToDict((await catalog.GetGame(request)).game.text)
    assert text["groups"][0]["components"][5] == {
        "code": "K",
        "name": "Held",
        "enumValue": "DRAGONHEART_CARD_TYPE_KNIGHT",
        "count": 5,
        "faces": [
            {"code": "K1", "value": 1, "count": 4},
            {"code": "K2", "value": 2, "count": 1},
        ],
    }
    assert text["options"][0] == {
        "field": "setup.dragonheart.edition",
        "name": "Ausgabe",
        "description": "Nach welchen Regeln gespielt wird. Die Angabe ist Pflicht.",
        "choices": [
            {
                "enumValue": "DRAGONHEART_EDITION_STANDARD",
                "name": "Standard",
                "description": "Das veröffentlichte Spiel.",
            }
        ],
    }


@pytest.mark.parametrize(
    ("asked", "given"),
    [
        ("", "en"),
        ("pl", "pl"),
        ("UK", "uk"),
        ("de-AT", "de"),
        ("ro-Latn-MD", "ro"),
        ("EN-gb", "en"),
    ],
)
async def test_a_language_is_found(catalog: Any, asked: str, given: str) -> None:
    answer = await catalog.GetGame(pb.GetGameRequest(name="dragonheart", language=asked))
    assert answer.game.text.language == given


@pytest.mark.parametrize("language", ["fr", "deutsch", "de_AT", "-", "-de", "x-de", "d" * 10_000])
async def test_another_language_is_refused_with_those_there_are(
    catalog: Any, language: str
) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await catalog.GetGame(pb.GetGameRequest(name="dragonheart", language=language))
    info = info_of(refused.value)
    assert (info.reason, info.metadata["field"]) == ("FIELD_INVALID", "language")
    assert refused.value.details() == "language: one of en, de, uk, pl, ro"


async def test_the_list_of_games_stays_small(catalog: Any) -> None:
    listed = await catalog.ListGames(pb.ListGamesRequest())
    assert listed.ByteSize() < 200 * len(GAMES)
    for game in listed.games:
        assert not game.HasField("text")
        assert game.languages == list(LANGUAGES)
