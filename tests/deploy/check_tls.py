"""The deployment with mutual TLS on every hop: who is refused, and certificates that are renewed.

That no call fails while servers are restarted is shown in check_balancers.py.
"""

import asyncio
import os
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from redis import Redis

from dragonhall.sdk import Client, DragonhallError, Retry, Tls
from tests.certificates import shown_at
from tests.deploy.stack import (
    Balancer,
    SecuredStore,
    Server,
    balancer_command,
    connected,
    free_port,
    listens,
    running_balancer,
    running_servers,
    secured_store,
    until_all_answer,
    wait_for,
)
from tests.deploy.tls import Certificates
from tests.service.driver import dealt, play_on


@dataclass(frozen=True)
class Deployment:
    """Envoy, a server and a store, which speak TLS alone."""

    tls: Certificates
    envoy: Balancer
    server: Server
    store: SecuredStore


@pytest.fixture(scope="module")
def deployment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    tls = Certificates(tmp_path_factory.mktemp("certificates"))
    tls.renew()
    with (
        secured_store("redis-server", tls=tls) as store,
        running_servers(store.service_url, **tls.settings()) as (server,),
        running_balancer("envoy", [server.port], tls=tls) as envoy,
    ):
        asyncio.run(until_all_answer(envoy))
        yield Deployment(tls, envoy, server, store)


async def answers(port: int, tls: Tls | None) -> bool:
    async with Client(f"127.0.0.1:{port}", Retry(budget_s=0.0), tls) as client:
        try:
            await client.get_server_info()
        except DragonhallError:
            return False
    return True


async def test_a_client_without_a_certificate_is_refused(deployment: Deployment) -> None:
    client, port = deployment.tls.files("client"), deployment.envoy.port
    assert await answers(port, client.tls)
    assert not await answers(port, client.only_ca)
    assert not await answers(port, None)


async def test_no_client_goes_round_the_balancer(deployment: Deployment) -> None:
    assert not await answers(deployment.server.port, deployment.tls.files("client").tls)
    assert await answers(deployment.server.port, deployment.tls.files("envoy").tls)


def test_renewed_certificates_count_without_a_restart(deployment: Deployment) -> None:
    tls, port = deployment.tls, deployment.envoy.port
    before = {part: tls.files(part).der for part in ("envoy", "server", "redis")}
    with asyncio.Runner() as runner:
        runner.run(play_through(deployment))
        tls.renew()
        for part, der in before.items():
            assert tls.files(part).der != der
        client, envoy, server = (tls.files(part) for part in ("client", "envoy", "server"))
        wait_for("Envoy's new certificate", lambda: shown_at(port, client) == envoy.der)
        assert shown_at(deployment.server.port, envoy) == server.der
        renew_store(deployment)
        assert shown_at(deployment.store.port, server) == tls.files("redis").der
        runner.run(play_through(deployment))


async def play_through(deployment: Deployment) -> None:
    async with connected(deployment.envoy.target, deployment.envoy.tls) as stub:
        await play_on(stub, await dealt(stub), moves=5)


def renew_store(deployment: Deployment) -> None:
    """Do what deploy/redis/tls.conf says."""
    shown = deployment.tls.files("redis")
    files = {"ssl_ca_certs": shown.ca, "ssl_certfile": shown.cert, "ssl_keyfile": shown.key}
    told = {name: str(file) for name, file in files.items()}
    with Redis.from_url(deployment.store.operator_url, **told) as operator:
        operator.execute_command(
            *("CONFIG", "SET", "tls-cert-file", str(shown.cert), "tls-key-file", str(shown.key))
        )


async def test_haproxy_shows_renewed_certificates_once_it_is_reloaded(
    deployment: Deployment, tmp_path: Path
) -> None:
    tls, port = deployment.tls, free_port()
    command = balancer_command("haproxy", [deployment.server.port], port, tmp_path, tls)
    command[command.index("-db")] = "-W"
    haproxy = subprocess.Popen(command, env=os.environ | {"TLS": "1"})
    try:
        wait_for("the start of haproxy", lambda: listens(port))
        balancer = Balancer("haproxy", port, tls.files("client").tls)
        await until_all_answer(balancer)
        async with connected(balancer.target, balancer.tls) as stub:
            table = await dealt(stub)
            tls.renew()
            haproxy.send_signal(signal.SIGUSR2)
            client, own = tls.files("client"), tls.files("envoy")
            await asyncio.to_thread(
                wait_for, "the new certificate", lambda: shown_at(port, client) == own.der
            )
            await play_on(stub, table, moves=5)  # over the connection of before
    finally:
        haproxy.terminate()
        haproxy.wait()
