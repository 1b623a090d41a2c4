"""TLS: who is refused, and that replaced certificates count at once, without a restart."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from dragonhall.sdk import Client, DragonhallError, Retry, Tls, new_token
from dragonhall.sdk.admin import AdminClient
from dragonhall.sdk.blocking import Client as BlockingClient
from dragonhall.v1 import catalog_service_pb2, catalog_service_pb2_grpc
from dragonhall_service.app import Server, running_server
from dragonhall_service.config import BadSetting, Settings
from dragonhall_service.logs import configure_logs
from dragonhall_service.store.access import opened
from dragonhall_service.store.address import StoreTls, parse_address
from tests.certificates import Authority, Files, shown_at
from tests.clients.inside import command
from tests.service.driver import Table, dealt, play_on, served, stub_of
from tests.service.scraping import free_address

ONCE = Retry(budget_s=0.0)


@asynccontextmanager
async def tls_server(
    url: str, served: Files, clients: Path | None = None, **more: Any
) -> AsyncIterator[Server]:
    """Serve with a certificate; `clients` is the file of the CAs of clients."""
    files: dict[str, Any] = {"tls_cert": str(served.cert), "tls_key": str(served.key)}
    files |= {"tls_client_ca": str(clients)} if clients else {}
    more |= {"drain_s": 0, "grace_s": 1, "log_level": "warning"}
    settings = Settings(redis_url=url, listen="127.0.0.1:0", **files, **more)
    configure_logs(settings)
    async with running_server(settings) as server:
        yield server


async def answers(server: Server, tls: Tls | None) -> bool:
    """Tell whether a new connection is answered."""
    async with Client(server.target, ONCE, tls) as client:
        try:
            await client.get_server_info()
        except DragonhallError as failed:
            assert failed.code is grpc.StatusCode.UNAVAILABLE
            return False
    return True


async def shown(server: Server, asking: Files) -> bytes:
    """Return the certificate that a new connection is shown."""
    return await asyncio.to_thread(shown_at, server.port, asking)


async def test_a_server_is_known_by_its_authority(one_store_url: str, tmp_path: Path) -> None:
    files = Authority(tmp_path).issue("server")
    stranger = Authority(tmp_path / "other").issue("server")
    async with tls_server(one_store_url, files) as server:
        assert await answers(server, files.only_ca)
        assert not await answers(server, stranger.only_ca)
        assert not await answers(server, None)
        told = await command("--tls-ca", str(files.ca), "health", "--server", server.target)
        assert told == "SERVING\n"

        def block() -> str:
            with BlockingClient(server.target, ONCE, files.only_ca) as client:
                return client.get_server_info().server_version

        assert await asyncio.to_thread(block)


async def test_a_client_shows_a_certificate(one_store_url: str, tmp_path: Path) -> None:
    authority, strangers = Authority(tmp_path), Authority(tmp_path / "other")
    files, client = authority.issue("server"), authority.issue("client")
    stranger = strangers.issue("client")
    foreign = Tls.from_files(files.ca, stranger.cert, stranger.key)
    async with tls_server(one_store_url, files, files.ca) as server:
        assert await answers(server, client.tls)
        assert not await answers(server, files.only_ca)
        assert not await answers(server, foreign)


async def test_a_replaced_certificate_is_shown_to_new_connections(
    one_store_url: str, tmp_path: Path
) -> None:
    authority = Authority(tmp_path)
    files, client = authority.issue("server"), authority.issue("client")
    first = files.der
    async with (
        tls_server(one_store_url, files, files.ca) as server,
        Client(server.target, ONCE, client.tls) as early,
    ):
        assert await shown(server, client) == first
        stub = stub_of(early._channel)
        table = await dealt(stub)
        key = files.key.read_bytes()
        authority.issue("server")
        new_key = files.key.read_bytes()
        files.key.write_bytes(key)  # as between the writing of the two files
        assert await shown(server, client) == first
        files.key.write_bytes(new_key)
        assert await shown(server, client) == files.der != first
        assert await play_on(stub, table) > 4  # over the connection of before


async def test_a_replaced_authority_of_clients_counts(one_store_url: str, tmp_path: Path) -> None:
    served = Authority(tmp_path).issue("server")
    folder = tmp_path / "clients"
    old = Authority(folder).issue("client")
    trusted = Tls.from_files(served.ca, old.cert, old.key)
    async with tls_server(one_store_url, served, old.ca) as server:
        assert await answers(server, trusted)
        new = Authority(folder).issue("client")
        assert not await answers(server, trusted)
        assert await answers(server, Tls.from_files(served.ca, new.cert, new.key))


async def test_a_name_that_is_not_the_host(one_store_url: str, tmp_path: Path) -> None:
    files = Authority(tmp_path).issue("server", "play.example")
    named = Tls(files.ca.read_bytes(), server_name="play.example")
    async with tls_server(one_store_url, files) as server:
        assert await answers(server, named)
        assert not await answers(server, Tls(files.ca.read_bytes(), server_name="other.example"))


@pytest.mark.parametrize("damaged", ["cert", "key", "ca"])
async def test_a_damaged_file_stops_the_start(
    damaged: str, one_store_url: str, tmp_path: Path
) -> None:
    files = Authority(tmp_path).issue("server")
    getattr(files, damaged).write_text("no PEM")
    with pytest.raises(BadSetting, match="no certificate, key and CA"):
        async with tls_server(one_store_url, files, files.ca):
            pass


async def test_probes_need_no_certificate_and_get_nothing_else(
    one_store_url: str, tmp_path: Path
) -> None:
    files, probes = Authority(tmp_path).issue("server"), free_address()
    async with tls_server(one_store_url, files, files.ca, probe_listen=probes):
        assert await command("health", "--server", probes) == "SERVING\n"
        async with grpc.aio.insecure_channel(probes) as channel:
            health: Any = health_pb2_grpc.HealthStub(channel)
            answer = await health.Check(health_pb2.HealthCheckRequest(service="live"))
            assert answer.status == health_pb2.HealthCheckResponse.SERVING
            catalog: Any = catalog_service_pb2_grpc.CatalogServiceStub(channel)
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await catalog.ListGames(catalog_service_pb2.ListGamesRequest())
            assert refused.value.code() is grpc.StatusCode.UNIMPLEMENTED


async def test_operators_of_other_machines_come_over_tls(
    one_store_url: str, tmp_path: Path
) -> None:
    authority, tokens = Authority(tmp_path), tmp_path / "tokens"
    files, client = authority.issue("server"), authority.issue("client")
    tokens.write_text(new_token())
    for listen, private in (("0.0.0.0:0", True), ("127.0.0.1:0", False)):
        settings = {"admin_listen": listen, "admin_token_file": str(tokens)}
        async with tls_server(one_store_url, files, files.ca, **settings) as server:
            address = "127.0.0.1:" + server.admin_target.rpartition(":")[2]
            for tls, answered in (
                (client.tls, private),
                (files.only_ca, False),
                (None, not private),
            ):
                async with AdminClient(address, tokens.read_text(), ONCE, tls) as admin:
                    try:
                        await admin.list_stuck_matches()
                    except DragonhallError as failed:
                        assert failed.code is grpc.StatusCode.UNAVAILABLE
                        assert not answered
                    else:
                        assert answered


# ---- the store ----------------------------------------------------------------------------------


class TlsBefore:
    """Ends TLS before a store, for whoever shows a certificate.

    Attributes:
        seen: the certificates that were shown.
    """

    def __init__(self, url: str) -> None:
        self.seen: list[bytes] = []
        self._path = url.removeprefix("unix://")
        self._open: set[asyncio.StreamWriter] = set()

    @asynccontextmanager
    async def running(self, shows: Files) -> AsyncIterator[str]:
        """Yield the URL."""
        proxy = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=shows.context())
        try:
            yield f"rediss://localhost:{proxy.sockets[0].getsockname()[1]}"
        finally:
            proxy.close()

    def cut(self) -> None:
        """Break every connection."""
        for writer in self._open:
            writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.seen.append(writer.get_extra_info("ssl_object").getpeercert(binary_form=True))
        self._open.add(writer)
        inner_reader, inner = await asyncio.open_unix_connection(self._path)
        pumps = _pump(reader, inner), _pump(inner_reader, writer)
        await asyncio.gather(*pumps, return_exceptions=True)
        self._open.discard(writer)


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    finally:
        writer.close()


def on_store(url: str, ca: Path, shown: Files) -> Any:
    files = {"redis_ca": str(ca), "redis_cert": str(shown.cert), "redis_key": str(shown.key)}
    return served(url, log_level="warning", **files)


async def test_server_and_store_know_each_other(one_store_url: str, tmp_path: Path) -> None:
    authority, store = Authority(tmp_path), TlsBefore(one_store_url)
    own, theirs = authority.issue("own"), authority.issue("store")
    async with store.running(theirs) as url, on_store(url, theirs.ca, own) as stub:
        await play_on(stub, await dealt(stub), moves=3)
        assert set(store.seen) == {own.der}
        authority.issue("own")
        store.seen.clear()
        store.cut()
        table = await until_dealt(stub)
        await play_on(stub, table, moves=3)
        assert set(store.seen) == {own.der}, "the replaced certificate is shown"


async def test_no_first_commit_waits_for_a_connection(one_store_url: str, tmp_path: Path) -> None:
    """Over TLS it takes a while to make; a server is ready once it is there."""
    authority, store = Authority(tmp_path), TlsBefore(one_store_url)
    own, theirs = authority.issue("own"), authority.issue("store")
    tls = StoreTls(str(theirs.ca), str(own.cert), str(own.key))
    async with (
        store.running(theirs) as url,
        opened(parse_address(url, tls), replicas=0, connections=2) as access,
    ):
        assert await access.answers()
        assert len(store.seen) == 2
        await access.commits.execute_command("TIME")
        assert len(store.seen) == 2


async def until_dealt(stub: Any) -> Table:
    """Deal a match as soon as the store answers again."""
    async with asyncio.timeout(20):
        while True:
            with contextlib.suppress(grpc.aio.AioRpcError):
                return await dealt(stub)


@pytest.mark.parametrize("wrong", ["ours", "theirs", "theirs, though the system trusts it"])
async def test_a_store_of_another_authority_is_not_used(
    wrong: str, one_store_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority, strangers = Authority(tmp_path), Authority(tmp_path / "other")
    theirs = authority.issue("store")
    own = (strangers if wrong == "ours" else authority).issue("own")
    ca = theirs.ca if wrong == "ours" else strangers.issue("any").ca
    if "system" in wrong:
        monkeypatch.setenv("SSL_CERT_FILE", str(theirs.ca))
    store = TlsBefore(one_store_url)
    async with store.running(theirs) as url, on_store(url, ca, own) as stub:
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await dealt(stub)
        assert refused.value.code() is grpc.StatusCode.UNAVAILABLE
