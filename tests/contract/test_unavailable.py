"""Whatever is lost between server and store, an UNAVAILABLE says what is known, and when to repeat.

Every method is called once for each command that it sends: the command is lost, or its answer. A
call that is told "not applied" has changed nothing, and the same request again is carried out once.
"""

import asyncio
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.rpc.error_details_pb2 import ErrorInfo
from redis.asyncio import Redis

from dragonhall.sdk import new_token
from dragonhall_service.app import running_server
from dragonhall_service.config import Settings
from dragonhall_service.embedded import embedded_store
from tests.contract.cutting import Loss, Wire, wire_to
from tests.contract.methods import Method, methods_of
from tests.contract.scenes import Scene, Stage, stages
from tests.contract.statuses import details_of, faults
from tests.contract.stored import changes
from tests.contract.test_fuzz_admin import OperatorsStage
from tests.service.driver import metadata, request_id

MOST_COMMANDS = 12
"""ListMatches sends one for each match; the others send fewer."""


class Breaker:
    """Breaks the wire at every command of every method, and judges what comes back."""

    def __init__(self, channel: Any, raw: Any, wire: Wire, stage: Stage) -> None:
        self._channel, self._raw, self._wire, self._stage = channel, raw, wire, stage
        self.told: Counter[str] = Counter()
        self.wrong: list[str] = []

    async def home(self, method: Method) -> str | None:
        """Find the scene in which a good call succeeds."""
        for name in self._stage.scenes:
            scene, before = self._scene(method, name), await changes(self._raw)
            answer = await self._send(method, self._good(method, scene), scene)
            if await changes(self._raw) != before:
                await self._stage.renew()
            if not isinstance(answer, Exception):
                return name
        return None

    def _scene(self, method: Method, name: str) -> Scene:
        """Return a scene; whoever registers does so under a fresh name."""
        scene = self._stage.scenes[name]
        anew = method.name.startswith("Register")
        return replace(scene, name=f"bot-{request_id()}") if anew else scene

    async def break_all(self, method: Method, home: str) -> None:
        for loss in Loss:
            for number in range(MOST_COMMANDS):
                if not await self._break(method, home, loss, number):
                    break

    async def _break(self, method: Method, home: str, loss: Loss, number: int) -> bool:
        """Return whether there was such a command."""
        scene = self._scene(method, home)
        data, before = self._good(method, scene), await changes(self._raw)
        self._wire.arm(loss, number)
        answer = await self._send(method, data, scene)
        cut = self._wire.cut
        self._wire.arm(None, 0)
        changed = await changes(self._raw) != before
        if cut is not None:
            what = f"{method.name}, {loss.value} {number} lost ({cut[0].decode()})"
            self.wrong += [f"{what}: {wrong}" for wrong in self._judged(method, answer, changed)]
            again = await self._send(method, data, scene)
            if isinstance(again, grpc.aio.AioRpcError):
                self.wrong.append(f"{what}: again: {again.code().name} {again.details()}")
            changed = changed or await changes(self._raw) != before
        if changed:
            await self._stage.renew()
        return cut is not None

    def _judged(self, method: Method, answer: Any, changed: bool) -> Iterator[str]:
        if not isinstance(answer, grpc.aio.AioRpcError):
            self.told["nothing"] += 1
            return
        if answer.code() is not grpc.StatusCode.UNAVAILABLE:
            yield f"{answer.code().name} {answer.details()}"
        yield from faults(answer, method.request)
        for info in details_of(answer, ErrorInfo):
            applied = info.metadata["applied"]
            self.told[applied] += 1
            if applied == "no" and changed:
                yield "said to be not applied, but the store has changed"

    def _good(self, method: Method, scene: Scene) -> bytes:
        return scene.good(method).SerializeToString()

    async def _send(self, method: Method, data: bytes, scene: Scene) -> Any:
        try:
            return await method.call(self._channel)(
                data, metadata=metadata(scene.token), timeout=20
            )
        except grpc.aio.AioRpcError as error:
            return error


@pytest.fixture
def own_store_url() -> Iterator[str]:
    """A store that nobody else changes."""
    with embedded_store() as url:
        yield url


async def test_whatever_is_lost_is_told_truly(own_store_url: str, tmp_path: Path) -> None:
    operator, tokens = new_token(), tmp_path / "tokens"
    tokens.write_text(operator)
    told: Counter[str] = Counter()
    raw = Redis.from_url(own_store_url)
    await raw.config_set("appendfsync", "no")
    async with wire_to(own_store_url, tmp_path) as (near, wire):
        settings = Settings(
            redis_url=near,
            listen="127.0.0.1:0",
            admin_listen="127.0.0.1:0",
            admin_token_file=str(tokens),
            drain_s=0,
            grace_s=1,
            quotas="off",
            durability="fast",
        )
        async with (
            running_server(settings) as server,
            grpc.aio.insecure_channel(server.target) as public,
            grpc.aio.insecure_channel(server.admin_target) as private,
        ):
            stage = (await stages(public, raw))[0]
            operators = OperatorsStage(public, raw, stage.setup, stage.name, operator=operator)
            await operators.renew()
            for channel, own, target in [
                (public, stage, server.target),
                (private, operators, server.admin_target),
            ]:
                breaker = Breaker(channel, raw, wire, own)
                for method in await asyncio.to_thread(methods_of, target):
                    if method.ours and not method.response_streaming:
                        home = await breaker.home(method)
                        assert home is not None, method.name
                        await breaker.break_all(method, home)
                assert not breaker.wrong, "\n".join(breaker.wrong)
                told += breaker.told
    await raw.aclose()
    print(told)
    assert told["no"] > 20
    assert told["unknown"] > 5
