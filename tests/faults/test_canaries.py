"""A secret is found wherever it stands."""

import base64
from pathlib import Path

import pytest

from tests.faults.canaries import PASSWORDS, Canaries


@pytest.mark.parametrize(
    "around", ["{}", "Bearer {}", '{{"token": "{}"}}', "aaaa{}bbbb", "\0{}\0", "-{}-"]
)
def test_a_token_is_found(around: str, tmp_path: Path) -> None:
    canaries = Canaries()
    token = canaries.new_token()
    (tmp_path / "log").write_text(around.format(token))
    canaries.look_into(tmp_path)
    assert canaries.hits == ["log"]


def test_so_are_its_bytes_in_hex_and_passwords() -> None:
    canaries = Canaries()
    secret = base64.urlsafe_b64decode(canaries.new_token() + "=").hex()
    for text in (f"token {secret}".encode(), b"redis://x:" + PASSWORDS[0] + b"@y"):
        canaries.look("here", text)
    assert canaries.hits == ["here", "here"]


def test_other_words_are_none() -> None:
    canaries = Canaries()
    token = canaries.new_token()
    for text in ("", token[:-1], token[::-1], "0" * 200):
        canaries.look("here", text.encode())
    assert (canaries.hits, canaries.texts) == ([], 4)
