"""Traces: one through a move, from the client to the store; in them nothing that no log has."""

import asyncio
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from dragonhall.sdk import Client, DragonhallError, Retry, VersionConflict, new_token
from dragonhall_service.app import running_server
from dragonhall_service.config import Settings
from dragonhall_service.tracing import Traced
from tests.service.driver import options, running_process

SUBMIT = "dragonhall.v1.MatchService/SubmitMove"
FREE = {"dragonhall.match_id", "dragonhall.request_id", "dragonhall.seat"}
FIXED = {
    "rpc.system",
    "rpc.service",
    "rpc.method",
    "db.system.name",
    "db.operation.name",
    "dragonhall.code",
    "error.type",
}
ONCE = Retry(budget_s=0.0)


class Spans:
    """What was traced."""

    def __init__(self) -> None:
        self._exporter = InMemorySpanExporter()
        self.provider = TracerProvider(shutdown_on_exit=False)
        self.provider.add_span_processor(SimpleSpanProcessor(self._exporter))
        self.tracer = self.provider.get_tracer("test")

    def all(self) -> Sequence[ReadableSpan]:
        return self._exporter.get_finished_spans()

    def named(self, name: str) -> list[ReadableSpan]:
        return [span for span in self.all() if span.name == name]

    async def ended(self, name: str) -> ReadableSpan:
        """Wait for a span: a refusal reaches the client before its span ends."""
        async with asyncio.timeout(10):
            while not (found := self.named(name)):
                await asyncio.sleep(0.01)
        (span,) = found
        return span

    def below(self, above: ReadableSpan) -> list[str]:
        found = [span for span in self.all() if span.parent and span.parent == above.context]
        return [span.name for span in found]


@asynccontextmanager
async def traced(url: str) -> AsyncIterator[tuple[Client, Spans]]:
    spans = Spans()
    settings = Settings(redis_url=url, listen="127.0.0.1:0", drain_s=0, grace_s=1)
    async with (
        running_server(settings, Traced(spans.provider)) as server,
        Client(server.target, ONCE) as client,
    ):
        yield client, spans


async def joined(client: Client) -> tuple[str, list[str]]:
    tokens = [new_token(), new_token()]
    match_id = (await client.create_match(tokens[0], options())).match_id
    for token in tokens:
        await client.join_match(match_id, token, player_name="Ada")
    return match_id, tokens


async def test_a_move_is_one_trace_from_the_client_to_the_store(one_store_url: str) -> None:
    async with traced(one_store_url) as (client, spans):
        match_id, tokens = await joined(client)
        legal = await client.legal_moves(match_id, tokens[0])
        with spans.tracer.start_as_current_span("a turn") as turn:
            await client.submit_move(match_id, tokens[0], legal.version, legal.moves[0])
        (submit,) = spans.named(SUBMIT)
        assert submit.kind is SpanKind.SERVER
        assert submit.parent is not None
        assert submit.parent.span_id == turn.get_span_context().span_id
        assert submit.context.trace_id == turn.get_span_context().trace_id
        assert "store commit" in spans.below(submit)
        assert submit.attributes is not None
        assert submit.attributes["dragonhall.code"] == "OK"
        assert submit.attributes["dragonhall.match_id"] == match_id
        # What a server asks the store by itself belongs to no trace.
        assert all(span.parent for span in spans.all() if span.name.startswith("store "))


async def test_nothing_hidden_is_in_a_trace(one_store_url: str) -> None:
    async with traced(one_store_url) as (client, spans):
        match_id, tokens = await joined(client)
        while not (now := (await client.get_match(match_id)).match).HasField("outcome"):
            token = tokens[now.seat_to_move]
            legal = await client.legal_moves(match_id, token)
            await client.submit_move(match_id, token, legal.version, legal.moves[0])
        with pytest.raises(DragonhallError):
            await client.submit_move(match_id, tokens[0], 1, legal.moves[0])
        assert len(spans.named(SUBMIT)) > 30
        for span in spans.all():
            attributes = dict(span.attributes or {})
            assert set(attributes) <= FREE | FIXED
            assert span.events == ()
            assert span.status.description is None
            assert attributes.get("dragonhall.match_id", match_id) == match_id
            text = span.to_json()
            assert not [token for token in tokens if token in text]


async def test_a_refusal_is_no_error_and_an_outage_is_one(one_store_url: str) -> None:
    async with traced(one_store_url) as (client, spans):
        match_id, tokens = await joined(client)
        legal = await client.legal_moves(match_id, tokens[0])
        with pytest.raises(VersionConflict):
            await client.submit_move(match_id, tokens[0], legal.version + 1, legal.moves[0])
        submit = await spans.ended(SUBMIT)
        assert submit.status.status_code is StatusCode.UNSET
    async with traced("redis://127.0.0.1:1") as (client, spans):
        with pytest.raises(DragonhallError):
            await client.get_match(match_id)
        call = await spans.ended("dragonhall.v1.MatchService/GetMatch")
        (load,) = spans.named("store load")
        for span in (call, load):
            assert span.status.status_code is StatusCode.ERROR
        assert dict(load.attributes or {})["error.type"] == "StorageUnavailable"


def test_nothing_of_it_is_loaded_unless_it_is_asked_for() -> None:
    """Redis-py imports OpenTelemetry's metrics where they are installed; they stay off."""
    program = (
        "import sys, dragonhall_service.app, dragonhall.cli.commands; "
        "loaded = ('opentelemetry.sdk.trace', 'opentelemetry.exporter'); "
        "print([name for name in sys.modules if name.startswith(loaded)])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "[]\n"


@contextmanager
def collector(got: list[ExportTraceServiceRequest]) -> Iterator[str]:
    """Collect what is sent by OTLP over HTTP."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            got.append(ExportTraceServiceRequest.FromString(body))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *of: Any) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


async def test_a_stopping_server_sends_what_it_has(
    one_store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    got: list[ExportTraceServiceRequest] = []
    with collector(got) as endpoint:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint)
        async with (
            running_process(one_store_url, TRACES="otlp") as server,
            Client(server.target) as client,
        ):
            await joined(client)
    resources = [resource for request in got for resource in request.resource_spans]
    spans = [span for each in resources for scope in each.scope_spans for span in scope.spans]
    assert "dragonhall.v1.MatchService/CreateMatch" in {span.name for span in spans}
    named = {pair.key: pair.value.string_value for pair in resources[0].resource.attributes}
    assert named["service.name"] == "dragonhall"
    assert '"trace_id"' in server.log


async def test_a_collector_that_is_away_holds_nobody_up(
    one_store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
    async with (
        running_process(one_store_url, TRACES="otlp") as server,
        Client(server.target, ONCE) as client,
    ):
        await joined(client)
