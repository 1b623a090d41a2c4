"""`dragonhall token` makes a token and says its SHA-256, as the settings of a server want it."""

import base64
import hashlib
import subprocess
import sys

import pytest

from dragonhall_service.config import Settings

RUN = [sys.executable, "-c", "from dragonhall.cli import main; main()", "token"]


def told(*arguments: str) -> dict[str, str]:
    done = subprocess.run([*RUN, *arguments], capture_output=True, text=True, check=True)
    return dict(line.split() for line in done.stdout.splitlines())


def test_a_token_is_new_and_its_hash_is_a_setting() -> None:
    first, second = told(), told()
    assert first["token"] != second["token"]
    secret = base64.urlsafe_b64decode(first["token"] + "=")
    assert first["sha256"] == hashlib.sha256(secret).hexdigest()
    both = f"{first['sha256']}, {second['sha256']}"
    settings = Settings(redis_url="redis://127.0.0.1:1", organisers=both)
    assert hashlib.sha256(secret).digest() in settings.organiser_hashes
    assert told("--token", first["token"]) == {"sha256": first["sha256"]}


def test_a_token_in_the_environment_is_not_in_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DRAGONHALL_TOKEN", told()["token"])
    assert set(told()) == {"token", "sha256"}


def test_no_token_is_a_mistake() -> None:
    with pytest.raises(subprocess.CalledProcessError) as failed:
        told("--token", "short")
    assert failed.value.returncode == 2
    assert "a token is base64url" in failed.value.stderr
