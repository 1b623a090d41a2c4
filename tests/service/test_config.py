"""Settings: an unknown or bad one stops the start with a message that says what to do."""

import socket
import subprocess
import sys
from typing import Any

import pytest
import typer.main

from dragonhall.cli.commands import app
from dragonhall.tournament import host
from dragonhall_service.config import BadSetting, describe, read_settings
from dragonhall_service.embedded import embedded_store
from tests.service.driver import SERVE

STORE = {"DRAGONHALL_REDIS_URL": "redis://127.0.0.1:1"}


def test_defaults_and_environment() -> None:
    settings = read_settings({**STORE, "DRAGONHALL_HEARTBEAT_S": "2.5", "HOME": "/"})
    assert settings.heartbeat_s == 2.5
    assert settings.listen == "127.0.0.1:50051"


def test_the_command_line_wins() -> None:
    assert read_settings(STORE, listen="127.0.0.1:1").listen == "127.0.0.1:1"


@pytest.mark.parametrize(
    "given",
    [
        {"listen": "localhost:1"},
        {"listen": "[::1]:1"},
        {"listen": "0.0.0.0:1", "plaintext": "clients"},
        {"listen": "0.0.0.0:1", "tls_cert": "a.crt", "tls_key": "a.key"},
        {"redis_url": "redis://store:6379", "plaintext": "store"},
        {"redis_url": "rediss://store:6379"},
        {"redis_url": "unix:///run/store.sock"},
    ],
)
def test_what_stays_here_or_is_encrypted_or_meant_is_served(given: dict[str, str]) -> None:
    settings = read_settings(STORE, **given)
    assert {name: getattr(settings, name) for name in given} == given


@pytest.mark.parametrize("password", ["secret", "secret[", "secret\u2100"])
def test_a_refused_store_does_not_tell_its_password(password: str) -> None:
    with pytest.raises(BadSetting) as refused:
        read_settings({"DRAGONHALL_REDIS_URL": f"redis://user:{password}@10.0.0.7"})
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    ("variable", "value", "told"),
    [
        ("DRAGONHALL_REDIS_URI", "redis://x", "is no setting"),
        ("DRAGONHALL_HEARTBEAT_S", "soon", "must be float"),
        ("DRAGONHALL_HEARTBEAT_S", "0", "must be 0.1 to 600"),
        ("DRAGONHALL_HEARTBEAT_S", "nan", "must be 0.1 to 600"),
        ("DRAGONHALL_LISTEN", "50051", "must be host:port"),
        ("DRAGONHALL_METRICS_LISTEN", "9464", "must be host:port"),
        ("DRAGONHALL_ADMIN_LISTEN", "50053", "must be host:port"),
        ("DRAGONHALL_ADMIN_LISTEN", "0.0.0.0:50053", "ADMIN_LISTEN 0.0.0.0:50053 is for other"),
        ("DRAGONHALL_PROBE_LISTEN", "50052", "must be host:port"),
        ("DRAGONHALL_LISTEN", "0.0.0.0:50051", "LISTEN 0.0.0.0:50051 is for other machines"),
        ("DRAGONHALL_LISTEN", "play.example:50051", "is for other machines"),
        ("DRAGONHALL_LISTEN", "[::]:50051", "is for other machines"),
        ("DRAGONHALL_REDIS_URL", "redis://u:p@10.0.0.7", "REDIS_URL names another machine: use"),
        ("DRAGONHALL_REDIS_URL", "redis+cluster://127.0.0.1:1,10.0.0.7:1", "names another machine"),
        ("DRAGONHALL_DURABILITY", "always", "must be one of safe, fast"),
        ("DRAGONHALL_TLS_CERT", "a.crt", "TLS_CERT and DRAGONHALL_TLS_KEY are set together"),
        ("DRAGONHALL_REDIS_KEY", "a.key", "REDIS_CERT and DRAGONHALL_REDIS_KEY are set together"),
        ("DRAGONHALL_TLS_CLIENT_CA", "ca.crt", "set DRAGONHALL_TLS_CERT too"),
        ("DRAGONHALL_REDIS_CA", "ca.crt", "are for rediss://"),
        ("DRAGONHALL_PLAINTEXT", "yes", "must be one of"),
        ("DRAGONHALL_QUOTAS", "maybe", "must be one of on, off"),
        ("DRAGONHALL_CALLS_PER_TOKEN", "0", "must be 1 to"),
        ("DRAGONHALL_ORGANISERS", "a-token", "must be SHA-256"),
        ("DRAGONHALL_ORGANISERS", "00" * 31, "must be SHA-256"),
        ("DRAGONHALL_TRUSTED_PROXIES", "10.0.0.1/8", "must be networks"),
        ("DRAGONHALL_TRUSTED_PROXIES", "envoy", "must be networks"),
        ("DRAGONHALL_LOG_LEVEL", "loud", "must be one of"),
        ("DRAGONHALL_REDIS_URL", "localhost", "must be set to an address that"),
    ],
)
def test_a_bad_setting_is_refused(variable: str, value: str, told: str) -> None:
    with pytest.raises(BadSetting, match=told):
        read_settings({**STORE, variable: value})


def of_commands(command: Any) -> set[str]:
    """Name the variables that a command and those below it read."""
    below = getattr(command, "commands", {}).values()
    own = {str(option.envvar) for option in command.params if option.envvar}
    return own.union(*map(of_commands, below))


def test_what_commands_and_bots_read_keeps_no_server_from_starting() -> None:
    commands = of_commands(typer.main.get_command(app))
    assert "DRAGONHALL_TOKEN" in commands
    bots = {host.SERVER, host.NAME, host.TOKEN, host.GAME, host.TLS}
    read_settings({**STORE, **dict.fromkeys(commands | bots, "")})


def test_a_missing_store_never_falls_back_silently() -> None:
    with pytest.raises(BadSetting, match="DRAGONHALL_REDIS_URL must be set"):
        read_settings({})


def test_every_setting_is_described() -> None:
    assert all(name.startswith("DRAGONHALL_") and meaning for name, _, meaning in describe())


def test_the_command_exits_2_with_a_message() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SERVE, "serve"],
        env={"DRAGONHALL_REDIS_URI": "redis://127.0.0.1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert "DRAGONHALL_REDIS_URI is no setting" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_port_in_use_is_told_in_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, embedded_store() as url:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        done = subprocess.run(
            [sys.executable, "-c", SERVE, "serve", "--listen", address, "--redis", url],
            capture_output=True,
            text=True,
        )
    assert done.returncode == 2
    assert f"DRAGONHALL_LISTEN {address} cannot be listened on" in done.stderr
    assert "Traceback" not in done.stderr
