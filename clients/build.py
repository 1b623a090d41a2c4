"""Make the clients in TypeScript, Go and Java, and try each against a server.

`python3 dev.py clients [LANGUAGE ...]` installs a language's pinned generators and libraries,
generates the stubs of all protos by protos/buf.gen.yaml, compiles them with the programs in
`examples/`, and runs one of these against `dragonhall serve --embedded`. Stubs are not committed.
"""

import contextlib
import fcntl
import hashlib
import json
import os
import re
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from dev import BIN, PROTOS, ROOT, environment, must, stop, tool

CLIENTS = ROOT / "clients"
TYPESCRIPT, GO, JAVA = CLIENTS / "typescript", CLIENTS / "go", CLIENTS / "java"
NODE = str(BIN / "node")


@dataclass(frozen=True)
class Language:
    """How a client is made: get its generators, compile what they make, run a program."""

    tools: dict[str, str]  # program: the package that brings it
    install: Callable[[], None]
    compile: Callable[[], None]
    program: tuple[str, ...]  # its last argument, the server's host:port, is still to come


def install_typescript() -> None:
    """Install what package-lock.json names, unless that is what is there."""
    lock = (TYPESCRIPT / "package-lock.json").read_bytes()
    stamp = TYPESCRIPT / "node_modules" / ".dragonhall"
    wanted = hashlib.sha256(lock).hexdigest()
    if not stamp.exists() or stamp.read_text() != wanted:
        must("npm", "ci", "--prefix", TYPESCRIPT)
        stamp.write_text(wanted)


def install_go() -> None:
    """Fetch what go.sum names; `go tool` builds the generators when they are asked for."""
    must("go", "mod", "download", "-C", GO)


def install_java() -> None:
    """Let Maven copy protoc and its plugin, which it cannot mark as programs."""
    must("mvn", "-q", "-B", "-f", JAVA, "initialize")
    for program in (JAVA / "target" / "generators").iterdir():
        program.chmod(0o755)


LANGUAGES = {
    "typescript": Language(
        {},  # Node.js and npm are in the venv
        install_typescript,
        lambda: must(NODE, TYPESCRIPT / "node_modules/typescript/bin/tsc", "-p", TYPESCRIPT),
        (NODE, str(TYPESCRIPT / "dist/examples/play_and_watch.js")),
    ),
    "go": Language(
        {"go": "Go 1.26 or newer (golang-go)"},
        install_go,
        lambda: must("go", "build", "-C", GO, "-o", "bin/", "./examples/..."),
        (str(GO / "bin/playsome"),),
    ),
    "java": Language(
        {"javac": "a JDK, 17 or newer (default-jdk)", "mvn": "Maven (maven)"},
        install_java,
        lambda: must("mvn", "-q", "-B", "-f", JAVA, "compile"),
        (
            "java",
            "-cp",
            os.pathsep.join([str(JAVA / "target/classes"), str(JAVA / "target/libraries/*")]),
            "dragonhall.examples.PlaySome",
        ),
    ),
}


def template(language: str) -> str:
    """Return protos/buf.gen.yaml with one client's plugins, which end it, alone."""
    head, *plugins = re.split(r"^(?=  - )", (PROTOS / "buf.gen.yaml").read_text(), flags=re.M)
    return head + "".join(text for text in plugins if f"out: clients/{language}/" in text)


def build(language: str) -> None:
    """Install, generate and compile one client; several at a time wait for each other."""
    client = LANGUAGES[language]
    for name, package in client.tools.items():
        tool(name, package)
    with (CLIENTS / language / "README.md").open("rb") as readme:
        fcntl.flock(readme, fcntl.LOCK_EX)
        client.install()
        must(BIN / "buf", "generate", PROTOS, "--template", template(language))
        client.compile()


@contextlib.contextmanager
def serving() -> Iterator[str]:
    """Run `dragonhall serve --embedded` as a process of its own; yields its host:port."""
    log = {"DRAGONHALL_LOG_FORMAT": "json", "DRAGONHALL_LOG_LEVEL": "info"}
    process = subprocess.Popen(
        [BIN / "dragonhall", "serve", "--embedded", "--listen", "127.0.0.1:0"],
        env=environment(**log, DRAGONHALL_DRAIN_S="0", DRAGONHALL_QUOTAS="off"),
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr
    try:
        line = process.stderr.readline()
        if '"serving"' not in line:
            stop(f"the server does not start:\n{line}{process.stderr.read()}", 1)
        # It logs every call, and would wait if nobody read on.
        threading.Thread(target=deque, args=(process.stderr, 0), daemon=True).start()
        yield json.loads(line)["listen"]
    finally:
        process.terminate()
        process.wait()


def succeeds(language: str, target: str) -> bool:
    """Run the program of a client; what it prints is passed on."""
    done = subprocess.run(
        [*LANGUAGES[language].program, target], capture_output=True, text=True, timeout=120
    )
    for line in (done.stdout + done.stderr).splitlines():
        print(f"{language}: {line}", flush=True)
    return done.returncode == 0


def main(names: list[str]) -> int:
    """Build and try the clients named, or all."""
    unknown = sorted(set(names) - set(LANGUAGES))
    if unknown:
        stop(f"no client in {', '.join(unknown)}; there are {', '.join(LANGUAGES)}", 2)
    chosen = names or list(LANGUAGES)
    for language in chosen:
        print(f"{language}: build", flush=True)
        build(language)
    with serving() as target:
        failed = [name for name in chosen if not succeeds(name, target)]
    print(f"clients: failed: {', '.join(failed)}" if failed else "clients: all is well")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
