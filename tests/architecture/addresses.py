"""Find registry addresses in the tree: locks and sources must install from any mirror.

No file of ours may name a registry, this one included: the hosts are asked of the package clients
of the machine it runs on. `python -m tests.architecture.addresses` prints what it finds; it is a
step of `dev.py check`.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Collection, Iterable
from pathlib import Path
from urllib.parse import urlsplit

from pip._internal.models.index import PyPI

ROOT = Path(__file__).resolve().parents[2]
LOOPBACK = {"localhost", "127.0.0.1", "::1"}
CLIENTS = (
    (sys.executable, "-m", "pip", "config", "list"),
    ("npm", "config", "get", "registry"),
    ("go", "env", "GOPROXY"),
)


def tracked(root: Path) -> list[Path]:
    """List the files that git tracks, or would if asked to add everything."""
    ask = ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(ask, check=True, capture_output=True, text=True).stdout.split("\0")
    return sorted({root / name for name in names if name and (root / name).is_file()})


def registry_hosts() -> set[str]:
    """Name the hosts of the registries that the package clients of this machine use."""
    told = [f"https://{PyPI.netloc} https://{PyPI.file_storage_domain}"]
    for client in CLIENTS:
        if shutil.which(client[0]):
            told.append(subprocess.run(client, capture_output=True, text=True).stdout)
    setting = re.compile(r"(pip|uv|npm|go).*(index|registry|proxy)", re.IGNORECASE)
    told += [value for name, value in os.environ.items() if setting.match(name)]
    urls = re.findall(r"https?://[^\s'\",|]+", " ".join(told))
    return {host for url in urls if (host := urlsplit(url).hostname)} - LOOPBACK


def fault(path: Path, hosts: Collection[str]) -> str:
    """Say what is wrong with one file; empty if nothing is."""
    text = path.read_bytes()
    if re.fullmatch(r"uv\.lock|pylock(\..+)?\.toml", path.name):
        return "a lock of this kind always holds addresses: use `dev.py lock`"
    if path.name in ("package-lock.json", "npm-shrinkwrap.json") and b'"resolved"' in text:
        return "`resolved` lines: npm leaves them out with omit-lockfile-registry-resolved=true"
    if path.match("deploy/locks/*") and b"://" in text:
        return "a lock must hold no address at all"
    if any(host.encode() in text for host in hosts):
        return "the address of a package registry"
    return ""


def faults(files: Iterable[Path], hosts: Collection[str]) -> list[str]:
    """List the files that hold a registry address, each with what is wrong."""
    return [f"{path}: {reason}" for path in files if (reason := fault(path, hosts))]


if __name__ == "__main__":
    sys.exit("\n".join(faults(tracked(ROOT), registry_hosts())) or 0)
