"""Mutual TLS on every hop, by the shipped files, with the places that this machine has."""

import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.certificates import Files

DEPLOY = Path(__file__).parents[2] / "deploy"
MOUNTED = "/run/tls"
"""Where containers have their certificates."""


@dataclass(frozen=True)
class Certificates:
    """What deploy/tls/make.sh makes: a folder for each part."""

    folder: Path

    def renew(self) -> None:
        """Make all of them, or replace them."""
        script = DEPLOY / "tls" / "make.sh"
        subprocess.run([script, self.folder], check=True)

    def files(self, part: str) -> Files:
        """Return those of one part."""
        place = self.folder / part
        return Files(place / "tls.crt", place / "tls.key", place / "ca.crt")

    def settings(self) -> dict[str, Any]:
        """Return a server's settings, as compose.tls.yaml has them, by name."""
        composed = yaml.safe_load((DEPLOY / "compose.tls.yaml").read_text())
        environment = composed["services"]["server"]["environment"]
        return {
            name.removeprefix("DRAGONHALL_"): value.replace(MOUNTED, f"{self.folder}/server")
            for name, value in environment.items()
            if MOUNTED in value
        }

    def store_config(self, folder: Path, port: int) -> Path:
        """Write the store's part of the configuration into a folder, and return the file."""
        text = (DEPLOY / "redis" / "tls.conf").read_text().replace("6379", str(port))
        written = folder / "tls.conf"
        written.write_text(text.replace(MOUNTED, f"{self.folder}/redis"))
        return written


def placed(text: str, folder: Path, tls: Certificates | None) -> str:
    """Let a balancer's file name this machine's places: `folder` for its own configuration."""
    certificates = f"{tls.folder}/envoy" if tls else MOUNTED
    return text.replace(MOUNTED, certificates).replace("/etc/dragonhall", str(folder))
