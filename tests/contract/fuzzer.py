"""Sends hostile calls to a server and judges what comes back.

A judge that cannot fail proves nothing: test_fuzz.py plants faults that it must find.
"""

import asyncio
import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import grpc
from google.rpc.error_details_pb2 import ErrorInfo

from dragonhall_service.api.limits import MAX_REQUEST_BYTES
from tests.contract.changes import Change, byte_changes, field_changes, harmless_changes
from tests.contract.methods import Method, paths_of, text_of
from tests.contract.scenes import CALLERS, Metadata, Scene, Stage
from tests.contract.statuses import CLIENT_FAULTS, details_of, faults
from tests.contract.stored import changes
from tests.service.driver import metadata

TIMEOUT_S = 20
_MATCH_ID = re.compile(rb"[a-z2-7]{26}")
_METADATA_LIMIT = 8_192


@dataclass(frozen=True)
class Case:
    """One hostile call before its scene is known.

    Attributes:
        part: what is spoilt: a field's path, `bytes`, `caller` or `harmless`.
        kind: how.
    """

    method: Method
    part: str
    kind: str
    change: Change | None = None

    def __str__(self) -> str:
        return f"{self.method.name} {self.part}: {self.kind}"


@dataclass
class Findings:
    """What came of the calls."""

    answers: Counter[str] = field(default_factory=Counter)
    methods: Counter[str] = field(default_factory=Counter)
    accepted: Counter[str] = field(default_factory=Counter)
    applied: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def report(self) -> str:
        rows = [f"{self.answers.total()} calls"]
        rows += [f"{count:7} {name}" for name, count in self.answers.most_common()]
        rows += [f"accepted {self.accepted.total()}, of which applied {self.applied.total()}"]
        rows += [f"{count:7} {name}" for name, count in self.accepted.most_common(20)]
        return "\n".join([*rows, *self.wrong[:30]])


def plan(methods: list[Method], chance: random.Random) -> Iterator[Case]:
    """Yield cases for ever: each part of each method in turn, its kinds in random order."""
    groups = []
    for method in methods:
        parts: dict[str, Any] = {
            text_of(path): field_changes(path) for path in paths_of(method.request)
        }
        parts |= {"bytes": byte_changes(), "harmless": harmless_changes()}
        if method.ours:
            parts["caller"] = dict.fromkeys(CALLERS)
        for part, kinds in parts.items():
            groups.append([Case(method, part, *kind) for kind in kinds.items()])
    while True:
        for group in groups:
            chance.shuffle(group)
        for turn in range(max(map(len, groups))):
            yield from (group[turn] for group in groups if turn < len(group))


class Fuzzer:
    """Sends cases to a server, one after the other, and judges what comes back."""

    def __init__(
        self, channel: Any, blocking: Any, raw: Any, stages: list[Stage], seed: int
    ) -> None:
        """Take a channel of grpc.aio and one of grpc to the server, and a client of its store."""
        self.chance = random.Random(seed)
        self.found = Findings()
        self.written: set[str] = set()
        """Matches that accepted calls have made or changed."""
        self._channel, self._blocking = channel, blocking
        self._raw, self._stages = raw, stages
        self._homes: dict[str, str] = {}

    async def find_homes(self, methods: list[Method]) -> None:
        """Find for each method the scene in which a good call succeeds."""
        for method in methods:
            for name in self._stages[0].scenes:
                scene = self._stages[0].scenes[name]
                data = scene.good(method).SerializeToString()
                if not isinstance(await self._send(method, data, metadata(scene.token)), Exception):
                    self._homes[method.path] = name
                    break
            if method.ours:  # it may have been carried out
                await self._stages[0].renew()

    @property
    def made(self) -> set[str]:
        """Matches that its stages have made."""
        return set().union(*(stage.made for stage in self._stages))

    @property
    def homes(self) -> dict[str, str]:
        return {path.rpartition("/")[2]: home for path, home in self._homes.items()}

    async def run(self, cases: Iterator[Case], until: int) -> None:
        """Send cases until so many calls have been answered in all.

        A stream notes its end in the store after its answer: mixed with other methods, it would
        be taken for theirs.
        """
        count = await self._changes()
        while self.found.answers.total() < until:
            case = next(cases)
            stage = self.chance.choice(self._stages)
            scene = self._scene(stage, case)
            data, caller = self._spoilt(case, scene)
            if data is None:
                continue
            if case.method.request_streaming and self.chance.random() < 0.6:  # a good one first
                sent = [scene.good(case.method).SerializeToString(), data]
                answer = await asyncio.to_thread(self._send_stream, case.method, sent, caller)
            else:
                answer = await self._send(case.method, data, caller)
            now = await self._changes()
            if isinstance(answer, Exception):
                changed = now != count and not case.method.request_streaming
                self._judge(case, answer, data, caller, changed=changed)
            else:
                self._accept(case, scene, answer, changed=now != count)
                if now != count and not case.method.name.startswith(("Create", "Register")):
                    await stage.renew()
                    now = await self._changes()
            count = now

    async def _changes(self) -> int:
        return await changes(self._raw)

    def _scene(self, stage: Stage, case: Case) -> Scene:
        """Choose the scene that the method is at home in, or any."""
        home = self._homes.get(case.method.path)
        strays = self.chance.random() < (0.1 if case.change and case.part != "harmless" else 0.6)
        names = [home] if home and not strays else list(stage.scenes)
        return stage.scenes[self.chance.choice(names)]

    def _spoilt(self, case: Case, scene: Scene) -> tuple[bytes | None, Metadata]:
        good = scene.good(case.method)
        if case.change is None:
            return good.SerializeToString(), CALLERS[case.kind](scene, self.chance)
        return case.change(good, self.chance), metadata(scene.token)

    async def _send(self, method: Method, data: bytes, caller: Metadata) -> Any:
        """Return the first answer, b"" for a stream that ends without one, or the failure."""
        if method.request_streaming:
            return await asyncio.to_thread(self._send_stream, method, [data], caller)
        call = method.call(self._channel)(data, metadata=caller, timeout=TIMEOUT_S)
        try:
            if not method.response_streaming:
                return await call
            answer = await call.read()
            return b"" if answer is grpc.aio.EOF else answer
        except grpc.aio.AioRpcError as error:
            return error
        finally:
            call.cancel()

    def _send_stream(self, method: Method, data: list[bytes], caller: Metadata) -> Any:
        """Send a stream of messages; return the last answer, b"" for none, or the failure.

        Not over aio: where the server refuses before a message is written, grpc.aio tells
        INTERNAL of its own making in place of what the server said.
        """
        call = method.call(self._blocking)(iter(data), metadata=caller, timeout=TIMEOUT_S)
        answer = b""
        try:
            for message in call:
                answer = message
            return answer
        except grpc.RpcError as error:
            return error
        finally:
            call.cancel()

    def _judge(
        self, case: Case, error: Any, data: bytes, caller: Metadata, *, changed: bool
    ) -> None:
        infos = details_of(error, ErrorInfo)
        name = f"{error.code().name} {infos[0].reason if infos else 'of gRPC itself'}"
        self.found.answers[name] += 1
        self.found.methods[case.method.path] += 1
        fine = error.code() in CLIENT_FAULTS or _not_served(case, error)
        wrong = [] if fine else [f"{error.code()} {error.details()}"]
        if changed:
            wrong.append("refused, but the store has changed")
        if case.method.path in self._homes and not case.method.request_streaming:
            wrong += _blames_another(case, infos)
        if infos or not (_refused_by_grpc(error, data, caller) or not case.method.ours):
            wrong += faults(error, case.method.request)
        self.found.wrong += [f"{case}: {what}" for what in wrong]

    def _accept(self, case: Case, scene: Scene, answer: bytes, *, changed: bool) -> None:
        self.found.answers["OK"] += 1
        self.found.methods[case.method.path] += 1
        if case.method.ours and case.part not in ("harmless", "caller"):
            self.found.accepted[str(case)] += 1
        if changed:
            self.found.applied[str(case)] += 1
            self.written |= {scene.match_id, *map(bytes.decode, _MATCH_ID.findall(answer))}


def _blames_another(case: Case, infos: list[Any]) -> list[str]:
    """Hold the field that a refusal names against the one that was spoilt, and its oneof's."""
    named = "".join(info.metadata["field"] for info in infos if info.reason == "FIELD_INVALID")
    if not named or case.part in ("bytes", "caller", "harmless"):
        return []
    spoilt = case.method.request.fields_by_name[case.part.split(".")[0]]
    known, oneof = {spoilt.name}, spoilt.containing_oneof
    if oneof:
        known |= {oneof.name, *(field.name for field in oneof.fields)}
    return [] if re.split(r"[.\[]", named)[0] in known else [f"{named} is blamed"]


def _refused_by_grpc(error: Any, data: bytes, caller: Metadata) -> bool:
    """Tell whether gRPC refuses such a call before any handler sees it."""
    large = len(data) > MAX_REQUEST_BYTES or sum(len(v) for _, v in caller) > _METADATA_LIMIT
    return large and error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED


def _not_served(case: Case, error: Any) -> bool:
    """Tell whether it is a method of a standard service that this server leaves out."""
    return not case.method.ours and error.code() is grpc.StatusCode.UNIMPLEMENTED
