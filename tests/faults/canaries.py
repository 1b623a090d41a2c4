"""P17: secrets of a run that must be nowhere: not in logs, dumps, metrics or texts of errors.

Every token that a run makes is one, and so are the passwords of its stores.
"""

import base64
import re
import urllib.request
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.faults.verdicts import Figure, Finding, Work
from tests.service import driver

PASSWORDS = (b"of-the-service", b"of-the-operator")
TOKEN_LENGTH, HEX_LENGTH = 43, 64
_WORDS = re.compile(rb"[A-Za-z0-9_-]{43,}")


@dataclass
class Canaries:
    """What is secret in a run, and where it was looked for.

    Attributes:
        tokens: as they are sent; the server must keep their digests alone.
        hits: where one was found.
    """

    tokens: set[bytes] = field(default_factory=set)
    hits: list[str] = field(default_factory=list)
    texts: int = 0
    _hex: set[bytes] = field(default_factory=set)

    def new_token(self) -> str:
        """Make a token that must be nowhere."""
        token = driver.new_token()
        self.tokens.add(token.encode())
        self._hex.add(base64.urlsafe_b64decode(token + "=").hex().encode())
        return token

    def look(self, where: str, text: bytes) -> None:
        """Look for secrets in a text."""
        self.texts += 1
        if self._found(text):
            self.hits.append(where)

    def look_into(self, folder: Path) -> None:
        """Look into every file of a folder: logs and dumps."""
        for path in folder.rglob("*"):
            if path.is_file():
                self.look(path.name, path.read_bytes())

    def look_at_metrics(self, port: int) -> None:
        """Look into what a server tells Prometheus, if it runs."""
        with suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as page:
            self.look("metrics", page.read())

    def _found(self, text: bytes) -> bool:
        if any(password in text for password in PASSWORDS):
            return True
        for word in _WORDS.findall(text):
            for known, size in ((self.tokens, TOKEN_LENGTH), (self._hex, HEX_LENGTH)):
                if any(word[at : at + size] in known for at in range(len(word) - size + 1)):
                    return True
        return False

    def findings(self) -> list[Finding]:
        """Say what was found in the whole run; nothing of one without secrets."""
        if not self.tokens:
            return []
        for hit in self.hits[:5]:
            print(f"P17: a secret is in {hit}")
        return [
            Figure("P17", "secrets found", len(self.hits), most=0),
            Work("P17", "texts and files read", self.texts, 1),
            Work("P17", "tokens", len(self.tokens), 1),
        ]


CANARIES = Canaries()
"""Those of this run."""
