#!/usr/bin/env python3
"""Set up Dragonhall and run its commands: `python3 dev.py` lists them.

Needs Python 3.11 and git, nothing else. The first call makes `.venv` from the hash-locked
requirements in deploy/locks; every later call only compares a stamp. Exit code 3 means that a
tool is missing, and the message names the package that brings it.
"""

import fcntl
import filecmp
import hashlib
import importlib.util
import io
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

if sys.version_info < (3, 11):  # noqa: UP036, an older Python comes this far
    print(
        "dev.py: Python 3.11 or newer is needed, this is", sys.version.split()[0], file=sys.stderr
    )
    sys.exit(3)

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
BIN = VENV / "bin"
STAMP = VENV / "dragonhall.stamp"
LOCKS = ROOT / "deploy" / "locks"
PROTOS = ROOT / "protos"
PEERS = ROOT / ".bench" / "venv"  # what only `bench` compares with, apart from our own tools
DEPLOY = ROOT / ".deploy"  # what only `deploy-check` tries deploy/ with: a venv and Go's programs
GENERATED = ROOT / "clients" / "python" / "dragonhall" / "v1"

# Where systems keep their certificates; uv, unlike pip, reads them only if told to.
SYSTEM_CERTS = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/cert.pem",
)

# What each lock is compiled from. The locks are universal: one file for every platform and Python.
LOCK_SOURCES = {
    "uv.txt": ["--group", "bootstrap"],
    "dev.txt": ["pyproject.toml", "--all-extras", "--group", "dev"],
    "server.txt": ["pyproject.toml", *"--extra server --extra cli --extra otel".split()],
    "bench.txt": ["--group", "bench"],
    "build.txt": ["--group", "build"],
    "deploy.txt": ["--group", "deploy"],
}


# ---- set-up -------------------------------------------------------------------------------------


def stop(message: str, code: int = 3) -> NoReturn:
    """End with a message on stderr."""
    print(f"dev.py: {message}", file=sys.stderr)
    sys.exit(code)


def tool(name: str, package: str) -> str:
    """Return the path of a program from PATH, or name the package that brings it and exit 3."""
    return shutil.which(name) or stop(f"{name} is missing: install {package}")


def environment(**more: str) -> dict[str, str]:
    """Return the user's environment with the venv in it; uv falls back on pip's settings."""
    env = dict(os.environ, VIRTUAL_ENV=str(VENV), PATH=f"{BIN}{os.pathsep}{os.environ['PATH']}")
    for uv, pip in {"SSL_CERT_FILE": "PIP_CERT", "UV_DEFAULT_INDEX": "PIP_INDEX_URL"}.items():
        if pip in env:
            env.setdefault(uv, env[pip])
    if any(map(os.path.exists, SYSTEM_CERTS)):
        env.setdefault("UV_SYSTEM_CERTS", "true")
    return env | more


def must(*argv: str | Path) -> None:
    """Run a step of the set-up; it is silent unless it fails."""
    done = subprocess.run(argv, env=environment(), capture_output=True, text=True)
    if done.returncode:
        stop(f"this failed:\n  {' '.join(map(str, argv))}\n{done.stdout}{done.stderr}", 1)


def wanted_stamp() -> str:
    """Name what a finished .venv was made from: this folder, the locks, the project's metadata."""
    sources = [LOCKS / "uv.txt", LOCKS / "dev.txt", ROOT / "pyproject.toml"]
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()
    return f"{ROOT}\n{digest}\n"


def stamp() -> str:
    """Read what .venv was made from; empty if it is absent, unfinished or without its Python."""
    usable = STAMP.exists() and (BIN / "python").exists()
    return STAMP.read_text() if usable else ""


def set_up() -> None:
    """Make .venv match the locks, once at a time; an interrupted set-up starts afresh."""
    wanted = wanted_stamp()
    if stamp() == wanted:
        return
    with Path(__file__).open("rb") as this:
        fcntl.flock(this, fcntl.LOCK_EX)
        if stamp() == wanted:
            return
        reusable = stamp().startswith(f"{ROOT}\n")
        print("Setting up .venv; the first time takes about a minute …", file=sys.stderr)
        STAMP.unlink(missing_ok=True)
        if not reusable:
            make_venv()
        uv = BIN / "uv"
        must(uv, "pip", "sync", "--require-hashes", LOCKS / "dev.txt")
        must(uv, "pip", "install", "--no-deps", "--no-build-isolation", "--editable", ROOT)
        STAMP.write_text(wanted)


def make_venv() -> None:
    """Make an empty .venv that holds pip and the hash-pinned uv."""
    if not importlib.util.find_spec("ensurepip"):
        stop("Python's ensurepip is missing: install python3-venv (the name on Debian)")
    must(sys.executable, "-m", "venv", "--clear", VENV)
    pip = [str(BIN / "python"), "-m", "pip", "--disable-pip-version-check"]
    must(*pip, "install", "--require-hashes", "--no-deps", "--requirement", LOCKS / "uv.txt")


def become(name: str, *args: str, **env: str) -> NoReturn:
    """Turn into a tool of the venv, so that its signals and exit code are ours."""
    program = BIN / name
    if not program.exists():
        stop(f".venv has no {name}; it has what deploy/locks/dev.txt lists", 2)
    sys.stdout.flush()
    os.execve(program, [str(program), *args], environment(**env))


# ---- generated files ----------------------------------------------------------------------------


def generate(out: Path) -> None:
    """Generate the Python stubs of protos/dragonhall/v1 into out/dragonhall/v1."""
    kinds = {"python": "", "grpc_python": "", "mypy": "quiet:", "mypy_grpc": "quiet:"}
    outs = [f"--{kind}_out={options}{out}" for kind, options in kinds.items()]
    sources = sorted((PROTOS / "dragonhall" / "v1").glob("*.proto"))
    if not sources:
        stop("protos/dragonhall/v1 holds no .proto file", 1)
    must(BIN / "python", "-m", "grpc_tools.protoc", f"--proto_path={PROTOS}", *outs, *sources)


def stubs(folder: Path) -> set[str]:
    """Name the generated files of a folder; the hand-written __init__.py is not one."""
    return {path.name for path in folder.glob("*_pb2*.py*")}


def stale_stubs() -> list[str]:
    """Name the committed stubs that differ from what the protos give now."""
    with tempfile.TemporaryDirectory() as scratch:
        generate(Path(scratch))
        fresh = Path(scratch) / "dragonhall" / "v1"
        names = stubs(fresh) | stubs(GENERATED)
        same, _, _ = filecmp.cmpfiles(fresh, GENERATED, names, shallow=False)
        return sorted(names - set(same))


def compile_lock(name: str, out: Path, *args: str) -> None:
    """Compile one lock; pins that `out` already holds are kept unless args say --upgrade."""
    flags = "--quiet --universal --generate-hashes --no-emit-index-url --no-emit-find-links"
    style = "--no-header --python-version 3.11"
    argv = [*LOCK_SOURCES[name], *flags.split(), *style.split(), *args]
    must(BIN / "uv", "pip", "compile", *argv, "--output-file", out)


def stale_locks() -> list[str]:
    """Name the locks that pyproject.toml no longer gives."""
    with tempfile.TemporaryDirectory() as scratch:
        for name in LOCK_SOURCES:
            compile_lock(name, Path(shutil.copy(LOCKS / name, scratch)))
        same, _, _ = filecmp.cmpfiles(LOCKS, scratch, LOCK_SOURCES, shallow=False)
        return sorted(set(LOCK_SOURCES) - set(same))


# ---- commands -----------------------------------------------------------------------------------


def output(*argv: str | Path) -> str:
    """Return what a program prints, or nothing where it is absent or fails."""
    if not shutil.which(argv[0]):
        return ""
    done = subprocess.run(argv, env=environment(), capture_output=True, text=True, cwd=ROOT)
    return done.stdout if done.returncode == 0 else ""


Finding = tuple[bool, str]  # whether a step of `check` is content, and what it has to say


def passes(name: str, *args: str) -> Finding:
    """Run a tool of the venv; what it prints matters only if it fails."""
    done = subprocess.run([BIN / name, *args], env=environment(), capture_output=True, text=True)
    return done.returncode == 0, (done.stdout + done.stderr if done.returncode else "")


def none_of(faults: list[str], remedy: str) -> Finding:
    """Turn a list of faults into a finding."""
    return not faults, "\n".join([*faults, remedy] if faults else [])


def baseline() -> str:
    """Name the commit that a change of the protos is held against: the last release, else main."""
    tags = output("git", "tag", "--list", "v*", "--sort=-v:refname").split()
    for ref in [*tags[:1], "origin/main", "main"]:
        if output("git", "ls-tree", "-r", "--name-only", ref, "protos"):
            return ref
    return ""


def breaking() -> Finding:
    """Hold the protos against the baseline's."""
    ref = baseline()
    if not ref:
        return True, "no baseline: neither a tag v* nor main holds protos yet"
    commit, head = output("git", "rev-parse", f"{ref}^{{commit}}", "HEAD").split()
    note = f"against {ref}, {commit[:9]}"
    if commit == head:
        note += ", which is HEAD: it sees only what is uncommitted"
    archive = subprocess.run(
        ["git", "archive", "--format=zip", ref, "protos"], capture_output=True, check=True
    )
    with tempfile.TemporaryDirectory() as scratch:
        zipfile.ZipFile(io.BytesIO(archive.stdout)).extractall(scratch)
        content, text = passes("buf", "breaking", "protos", "--against", f"{scratch}/protos")
    return content, f"{note}\n{text}".strip()


STEPS: dict[str, Callable[[], Finding]] = {
    "format": lambda: passes("ruff", "format", "--check", "."),
    "lint": lambda: passes("ruff", "check", "."),
    "types": lambda: passes("mypy"),
    "imports": lambda: passes("lint-imports"),
    "protos": lambda: passes("buf", "lint", "protos"),
    "protos are compatible": breaking,
    "generated code is fresh": lambda: none_of(stale_stubs(), "run: python3 dev.py gen"),
    "locks are fresh": lambda: none_of(stale_locks(), "run: python3 dev.py lock"),
    "no registry address": lambda: passes("python", "-m", "tests.architecture.addresses"),
}


def check(args: list[str]) -> int:
    """Run every step and name those that failed."""
    failed = []
    for name, step in STEPS.items():
        try:
            content, text = step()
        except SystemExit:
            content, text = False, ""
        print("ok    " if content else "FAILED", name, *([f"({text})"] if content and text else []))
        if not content:
            print(text)
            failed.append(name)
    print(f"check: failed: {', '.join(failed)}" if failed else "check: all is well")
    return 1 if failed else 0


def gen(args: list[str]) -> int:
    """Replace the committed stubs."""
    with tempfile.TemporaryDirectory() as scratch:
        generate(Path(scratch))
        for name in stubs(GENERATED):
            (GENERATED / name).unlink()
        shutil.copytree(Path(scratch) / "dragonhall" / "v1", GENERATED, dirs_exist_ok=True)
    return 0


def lock(args: list[str]) -> int:
    """Recompile the locks."""
    for name in LOCK_SOURCES:
        compile_lock(name, LOCKS / name, *args)
    return 0


def pytest(args: list[str], **env: str) -> NoReturn:
    """Run tests on all cores; tests of one xdist_group stay together."""
    become("pytest", "-n", "auto", "--dist", "loadgroup", *args, **env)


def demo(args: list[str]) -> NoReturn:
    """Hand over to the command line."""
    become("dragonhall", "demo", *args)


def sweep(args: list[str]) -> NoReturn:
    """Run the tests with the case counts that tests/budget.py keeps for a sweep."""
    pytest(args, DRAGONHALL_SWEEP="1")


def side_venv(venv: Path, lock: str) -> None:
    """Make a venv beside .venv hold what a lock says."""
    if not venv.exists():
        must(BIN / "uv", "venv", "--quiet", "--python", sys.executable, venv)
    flags = ("--quiet", "--require-hashes", LOCKS / lock)
    must(BIN / "uv", "pip", "sync", "--python", venv / "bin" / "python", *flags)


def bench(args: list[str]) -> NoReturn:
    """Measure, beside peers that are installed into a venv of their own."""
    side_venv(PEERS, "bench.txt")
    become("python", "-m", "tests.bench", *args)


KUSTOMIZE = "sigs.k8s.io/kustomize/kustomize/v5@v5.6.0"


def balancers() -> dict[str, str]:
    """Make sure of what runs the files of deploy/, and return the environment that finds it."""
    for name in ("haproxy", "redis-server", "curl", "openssl"):
        tool(name, name)
    side_venv(DEPLOY / "venv", "deploy.txt")
    path = [DEPLOY / "venv" / "bin", DEPLOY / "bin", BIN, os.environ["PATH"]]
    return {"PATH": os.pathsep.join(map(str, path))}


def deploy_check(args: list[str]) -> NoReturn:
    """Try the files of deploy/ with the programs that read them in production."""
    env = balancers()
    if not shutil.which("kustomize", path=DEPLOY / "bin"):
        go = tool("go", "golang-go 1.22 or newer")
        must("env", f"GOBIN={DEPLOY / 'bin'}", go, "install", KUSTOMIZE)
    files = ("tests/deploy", "-o", "python_files=check_*.py")
    become("pytest", *files, *args, **env)


def faults(args: list[str]) -> NoReturn:
    """Hurt servers, store and network of a deployment on loopback, and hold the promises to it."""
    tool("cc", "gcc")
    env = balancers()
    if "--quick" not in args:
        env["DRAGONHALL_SWEEP"] = "1"
    named = [arg for arg in args if arg != "--quick"]
    become("python", "-m", "tests.faults", *named, **env)


def image(args: list[str]) -> NoReturn:
    """Build the container image and try it, without a container engine."""
    tool("buildah", "buildah")
    become("python", "-m", "tests.deploy.image", *args)


def clients(args: list[str]) -> NoReturn:
    """Make the clients in other languages and try them."""
    become("python", "-m", "clients.build", *args)


def run(args: list[str]) -> NoReturn:
    """Run any tool of the venv."""
    become(*args or ["python"])


COMMANDS: dict[str, tuple[Callable[[list[str]], int], str]] = {
    "demo": (demo, "play a match between two bots over gRPC and print it"),
    "test": (pytest, "run all CI-sized tests; arguments go to pytest"),
    "check": (check, "format, lint, types, architecture, protos, generated code, locks"),
    "gen": (gen, "regenerate the Python stubs from protos/"),
    "lock": (lock, "recompile deploy/locks; --upgrade takes newer versions"),
    "sweep": (sweep, "run the tests with their long case counts"),
    "bench": (bench, "measure engine, submit, watch, profile or all; --keep for docs/bench.md"),
    "deploy-check": (deploy_check, "try the files of deploy/ with the real balancers and checkers"),
    "faults": (faults, "the promises under faults, a line each; --quick for CI; or those named"),
    "image": (image, "build the container image and play a match against it"),
    "clients": (clients, "make and try the clients in typescript, go and java, or those named"),
    "run": (run, "run a tool of .venv: run mypy, run python …"),
}


def main(argv: list[str]) -> int:
    """Run one command, or list them all."""
    name, args = (argv[0] if argv else "help"), argv[1:]
    if name not in COMMANDS:
        print("python3 dev.py COMMAND [ARGUMENTS]\n")
        print("\n".join(f"  {row:<13}{help_}" for row, (_, help_) in COMMANDS.items()))
        return 0 if name in ("help", "-h", "--help") else 2
    os.chdir(ROOT)
    if name != "lock" or not (BIN / "uv").exists():
        set_up()
    command, _ = COMMANDS[name]
    return command(args)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
