"""`dev.py image`: builds deploy/Dockerfile for real, without an engine, and tries what it gives.

buildah builds it with chroot isolation. The result is run as an engine would run it: its own entry
point, environment and user, on a root file system that is mounted read-only, with /tmp in memory.
What only an engine can show (its network, limits, health scheduling) deploy/README.md names.
"""

import argparse
import asyncio
import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc

from dragonhall_service.embedded import server_binary
from tests.deploy.stack import free_port, listens, secured_store, wait_for
from tests.service.driver import dealt, play_on, stub_of

ROOT = Path(__file__).parents[2]
STORAGE = ROOT / ".deploy" / "containers"
IMAGE, BASE, BUILD_BASE = "localhost/dragonhall", "localhost/dh-base", "localhost/dh-build-base"
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
STOP_S = 15.0
BUILD_TOOLS = ("cc", "gcc", "g++", "c++", "make", "cmake", "pip", "pip3", "uv", "go", "git")


def buildah(*arguments: str | Path) -> str:
    """Run buildah on a storage of our own and return what it prints."""
    storage = ["--root", STORAGE / "root", "--runroot", STORAGE / "run", "--storage-driver", "vfs"]
    argv = [str(part) for part in ("buildah", *storage, *arguments)]
    done = subprocess.run(
        argv, capture_output=True, text=True, env=os.environ | {"BUILDAH_ISOLATION": "chroot"}
    )
    if done.returncode:
        sys.exit(f"image: {' '.join(argv)}\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    return done.stdout.strip()


def exists(image: str) -> bool:
    """Tell whether an image is in our storage."""
    return image in buildah("images", "--format", "{{.Name}}").splitlines()


def debian() -> tuple[str, str]:
    """Return this machine's Debian release and where its packages come from."""
    release = re.search(r"VERSION_CODENAME=(\w+)", Path("/etc/os-release").read_text())
    told = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(REPO_URI) $(RELEASE) $(LABEL)"],
        capture_output=True,
        text=True,
    ).stdout
    for line in told.splitlines():
        uri, *of = line.split()
        if release and of == [release[1], "Debian"]:
            return release[1], uri
    sys.exit("image: no Debian packages are known: give --base IMAGE and --build-base IMAGE")


def make_bases() -> None:
    """Make the two base images by debootstrap: Debian with Python, and with venv beside it."""
    if not shutil.which("debootstrap"):
        print("image: debootstrap is missing: install debootstrap", file=sys.stderr)
        sys.exit(3)
    with tempfile.TemporaryDirectory(prefix="dragonhall-") as folder:
        release, mirror = debian()
        tree = Path(folder) / "root"
        packages = "--include=python3"
        subprocess.run(
            ["debootstrap", "--variant=minbase", packages, release, tree, mirror],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        for cache in ("var/cache/apt", "var/lib/apt/lists", "usr/share/doc", "usr/share/locale"):
            shutil.rmtree(tree / cache)
        container = buildah("from", "scratch")
        subprocess.run(["tar", "-C", tree, "-cf", f"{folder}/root.tar", "."], check=True)
        buildah("add", container, f"{folder}/root.tar", "/")
        buildah("commit", "--quiet", container, BASE)
    install = "apt-get -qq update && apt-get -qq install --no-install-recommends python3-venv"
    buildah("run", container, "--", "sh", "-c", f"mkdir -p /var/cache/apt/archives; {install} -y")
    buildah("commit", "--quiet", "--rm", container, BUILD_BASE)


def build(base: str, build_base: str) -> None:
    """Build the Dockerfile; pip asks whom it asks on this machine."""
    with tempfile.TemporaryDirectory(prefix="dragonhall-") as folder:
        conf = Path(folder) / "pip.conf"
        index = os.environ.get("PIP_INDEX_URL")
        lines = ["[global]", *([f"index-url = {index}"] if index else [])]
        secrets = [f"--secret=id=pip,src={conf}"]
        if CERTIFICATES.exists():
            lines.append("cert = /run/secrets/ca")
            secrets.append(f"--secret=id=ca,src={CERTIFICATES}")
        conf.write_text("\n".join(lines))
        bases = [f"--build-arg=BASE={base}", f"--build-arg=BUILD_BASE={build_base}"]
        file = ROOT / "deploy" / "Dockerfile"
        buildah(
            "bud", "--format=docker", *bases, *secrets, "--file", file, "--tag", IMAGE, ROOT
        )  # fmt: skip


@contextlib.contextmanager
def mounted() -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield the image's root file system and its configuration."""
    container = buildah("from", IMAGE)
    try:
        told = json.loads(buildah("inspect", "--type", "container", container))
        yield Path(buildah("mount", container)), told["Docker"]["config"]
    finally:
        buildah("rm", container)


def argv_in(root: Path, config: dict[str, Any], *command: str, **more: str) -> list[str]:
    """Return how to run a command in the image: read-only, as its user, in its environment.

    Every program becomes the next, so the process is the command itself and gets its signals.
    """
    mounts = (
        'mount --bind "$0" "$0"; mount -o remount,ro,bind "$0"; mount -t proc proc "$0/proc"; '
        'mount -t tmpfs tmpfs "$0/tmp"; mount --rbind /dev "$0/dev"; '
        'user=$1; shift; exec chroot --userspec="$user" "$0" /usr/bin/env -i "$@"'
    )
    become = ["unshare", "--mount", "--propagation", "private", "sh", "-ec", mounts]
    given = [f"{name}={value}" for name, value in more.items()]
    return [*become, str(root), config["User"], *config["Env"], *given, *command]


def run(root: Path, config: dict[str, Any], *command: str) -> "subprocess.CompletedProcess[str]":
    """Run a command in the image to its end."""
    return subprocess.run(argv_in(root, config, *command), capture_output=True, text=True)


def check_contents(root: Path, config: dict[str, Any]) -> None:
    """Hold the image against what is promised of it."""
    user = config["User"]
    assert user.split(":")[0].isdecimal(), f"user {user!r} is not a number"
    assert int(user.split(":")[0]) > 0, "the image runs as root"
    assert config["Entrypoint"] == ["dragonhall"], "the entry point is not in exec form"
    assert config["Healthcheck"]["Test"] == ["CMD", "dragonhall", "health"]
    folders = [root / path for path in ("usr/bin", "usr/local/bin", "opt/dragonhall/bin")]
    found = [name for folder in folders for name in BUILD_TOOLS if (folder / name).exists()]
    assert not found, f"build tools are left: {found}"
    named = [text for text in config["Env"] if re.search(r"PASSWORD|TOKEN|SECRET|://", text)]
    assert not named, f"the environment names secrets: {named}"
    done = run(root, config, "sh", "-c", "touch /tmp/new && id -u")
    assert done.stdout.strip() == user.split(":")[0], done
    for place in ("/new", "/opt/dragonhall/new", "/var/tmp/new"):
        assert "Read-only file system" in run(root, config, "touch", place).stderr


async def play(port: int) -> int:
    """Play a match and return its last version."""
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        stub = stub_of(channel)
        return await play_on(stub, await dealt(stub))


def check_running(root: Path, config: dict[str, Any]) -> None:
    """Run the server as it comes, play a match against it, and stop it."""
    port, metrics = free_port(), free_port()
    with secured_store(server_binary()) as store, tempfile.TemporaryFile() as log:
        places = {
            "DRAGONHALL_LISTEN": f"127.0.0.1:{port}",
            "DRAGONHALL_METRICS_LISTEN": f"127.0.0.1:{metrics}",
            "DRAGONHALL_REDIS_URL": store.service_url,
        }
        argv = argv_in(root, config, *config["Entrypoint"], *config["Cmd"], **places)
        server = subprocess.Popen(argv, stderr=log)
        try:
            wait_for("the start of the server", lambda: server.poll() is not None or listens(port))
            health = run(root, config, "dragonhall", "health", "--server", f"127.0.0.1:{port}")
            assert (health.returncode, health.stdout) == (0, "SERVING\n"), health
            say(f"healthy; a match of {asyncio.run(play(port))} versions was played")
            assert listens(metrics), "no metrics"
            asked = time.monotonic()
            server.send_signal(signal.Signals[config.get("StopSignal", "SIGTERM")])
            code = server.wait(STOP_S)
            say(f"told to stop, it ended with {code} after {time.monotonic() - asked:.1f} s")
            assert code == 0
        except BaseException:
            log.seek(0)
            say(log.read().decode())
            raise
        finally:
            server.kill()
            server.wait()


def say(text: str) -> None:
    """Print progress."""
    print(f"image: {text}", flush=True)


def main() -> int:
    """Build, try, and print the size."""
    parser = argparse.ArgumentParser(prog="dev.py image", description=__doc__)
    parser.add_argument("--base", default=BASE, help="an image to build on; else debootstrap's")
    parser.add_argument("--build-base", default=BUILD_BASE, help="the same with venv and pip")
    given = parser.parse_args()
    if os.geteuid():
        print("image: chroot needs root: run it with sudo", file=sys.stderr)
        return 3
    STORAGE.mkdir(parents=True, exist_ok=True)
    if given.base == BASE and not (exists(BASE) and exists(BUILD_BASE)):
        say("no image can be pulled here: making a base by debootstrap; it takes some minutes …")
        make_bases()
    build(given.base, given.build_base)
    size = buildah("images", "--format", "{{.Name}} {{.Size}}", IMAGE)
    with mounted() as (root, config):
        check_contents(root, config)
        check_running(root, config)
    say(f"{size}, of which the base {buildah('images', '--format', '{{.Size}}', given.base)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
