"""Malformed and hostile calls on the operators' listener, by an operator and by strangers."""

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path

from dragonhall.sdk import new_token
from dragonhall.v1 import catalog_service_pb2, catalog_service_pb2_grpc
from dragonhall_service.app import running_server
from dragonhall_service.config import Settings
from dragonhall_service.embedded import embedded_store
from tests.budget import cases
from tests.contract.fuzzer import Fuzzer, plan
from tests.contract.harmless import worrying
from tests.contract.methods import methods_of
from tests.contract.scenes import Stage
from tests.contract.stored import contents, differences
from tests.contract.test_fuzz import SEED, channels, raw_client

CASES = cases(ci=500, sweep=5_000)


@dataclass
class OperatorsStage(Stage):
    """Scenes in which an operator calls."""

    operator: str = ""

    async def renew(self) -> None:
        await super().renew()
        self.scenes = {
            name: replace(scene, token=self.operator) for name, scene in self.scenes.items()
        }


async def test_hostile_calls_are_the_clients_fault_and_change_nothing(tmp_path: Path) -> None:
    token, file = new_token(), tmp_path / "tokens"
    file.write_text(token)
    with embedded_store() as url:
        settings = Settings(
            redis_url=url,
            listen="127.0.0.1:0",
            admin_listen="127.0.0.1:0",
            admin_token_file=str(file),
            drain_s=0,
            grace_s=1,
            quotas="off",
        )
        async with (
            running_server(settings) as server,
            raw_client(url) as raw,
            channels(server.target) as (public, _),
            channels(server.admin_target) as (channel, blocking),
        ):
            await raw.config_set("appendfsync", "no")
            catalog = catalog_service_pb2_grpc.CatalogServiceStub(public)
            listed = await catalog.ListGames(catalog_service_pb2.ListGamesRequest())
            game = listed.games[0]
            stage = OperatorsStage(public, raw, game.editions[0].setup, game.name, operator=token)
            await stage.renew()
            methods = await asyncio.to_thread(methods_of, server.admin_target)
            others = [method for method in methods if not method.request_streaming]
            fuzzer = Fuzzer(channel, blocking, raw, [stage], SEED)
            await fuzzer.find_homes(others)
            before = await contents(raw)
            await fuzzer.run(plan(others, fuzzer.chance), CASES)
            after = await contents(raw)
    found = fuzzer.found
    print(f"good calls in {fuzzer.homes}", found.report())
    assert not found.wrong, "\n".join(found.wrong[:30])
    assert set(fuzzer.homes) == {method.name for method in others}
    assert differences(before, after, fuzzer.made | fuzzer.written) == []
    assert worrying(found.accepted) == []
