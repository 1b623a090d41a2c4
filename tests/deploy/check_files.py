"""Every file of deploy/ passes the program that reads it in production; a typo in it does not."""

import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.deploy.stack import DEPLOY, free_port
from tests.deploy.tls import Certificates, placed

KUBERNETES = ("1.30", "1.37")
"""The oldest release with everything that is used, and the newest that the checker knows."""
PASSWORDS = {"SERVICE_PASSWORD": "secret1", "OPERATOR_PASSWORD": "secret2"}
CERTIFICATES = "certificates"
"""The folder that a copy of deploy/ has beside what is shipped."""


def ran(*argv: str | Path, cwd: Path, seconds: float = 60, **more: str) -> str:
    """Run a program and return what it has against the files; empty if nothing."""
    environment = os.environ | PASSWORDS | more
    done = subprocess.run(
        argv, cwd=cwd, capture_output=True, text=True, timeout=seconds, env=environment
    )
    return done.stdout + done.stderr if done.returncode else ""


def hadolint(deploy: Path) -> str:
    return ran("hadolint", "Dockerfile", cwd=deploy)


def compose(deploy: Path) -> str:
    plain = ("--file", "compose.yaml")
    both = (*plain, "--file", "compose.tls.yaml")
    faults = [
        ran("docker-compose", *files, "config", "--quiet", cwd=deploy, TLS=f"./{CERTIFICATES}")
        for files in (plain, both)
    ]
    return "".join(faults)


def envoy(deploy: Path) -> str:
    flags = ("--mode", "validate", "--use-dynamic-base-id", "--log-level", "error")
    place(deploy, "envoy", "*.yaml")
    names = ("envoy/envoy.yaml", "envoy/envoy-tls.yaml")
    return "".join(ran("envoy", "--config-path", name, *flags, cwd=deploy) for name in names)


def haproxy(deploy: Path) -> str:
    place(deploy, "haproxy", "haproxy.cfg")
    check = ("haproxy", "-c", "-f", "haproxy/haproxy.cfg")
    return ran(*check, cwd=deploy) + ran(*check, cwd=deploy, TLS="1")


def place(deploy: Path, folder: str, pattern: str) -> None:
    """Let files name the places of this copy instead of those in a container."""
    tls = Certificates(deploy / CERTIFICATES)
    for file in (deploy / folder).glob(pattern):
        file.write_text(placed(file.read_text(), file.parent, tls))


def yamllint(deploy: Path) -> str:
    return ran("yamllint", "--strict", "--config-file", ".yamllint", ".", cwd=deploy)


def kubernetes(deploy: Path) -> str:
    """Build each overlay and hold every object against strict schemas, up to the first fault."""
    for overlay in sorted((deploy / "k8s" / "overlays").iterdir()):
        built = deploy / f"{overlay.name}.yaml"
        if fault := ran("kustomize", "build", overlay, "--output", built, cwd=deploy):
            return fault
        for release in KUBERNETES:
            flags = ("--strict", "--quiet", "--kubernetes-version", release)
            if fault := ran("kubernetes-validate", *flags, built, cwd=deploy):
                return fault
    return ""


def redis(deploy: Path) -> str:
    """Start the store; one that has not ended after 2 s has taken its files."""
    acl = deploy / "written.acl"
    tls = deploy / "redis" / "tls.conf"
    tls.write_text(tls.read_text().replace("/run/tls", str(deploy / CERTIFICATES / "redis")))
    port = str(free_port())
    places = ["--bind", "127.0.0.1", "--aclfile", str(acl), "--include", str(tls)]
    server = subprocess.Popen(
        ["redis/start.sh", "redis-server", "redis/redis.conf", *places, "--tls-port", port],
        cwd=deploy,
        env=os.environ
        | PASSWORDS
        | {"DRAGONHALL_ACL": str(acl), "DRAGONHALL_ACL_TEMPLATE": "redis/users.acl"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        return f"it ended: {server.communicate(timeout=2)[0]}"
    except subprocess.TimeoutExpired:
        return ""
    finally:
        server.kill()
        server.communicate()


@dataclass(frozen=True)
class Typo:
    """A mistake that a checker must find: in `path`, `right` becomes `wrong`."""

    check: Callable[[Path], str]
    path: str
    right: str
    wrong: str


TYPOS = [
    Typo(hadolint, "Dockerfile", "ENTRYPOINT", "ENTRYPIONT"),
    Typo(compose, "compose.yaml", "read_only", "read_onyl"),
    Typo(compose, "compose.tls.yaml", "healthcheck", "healthchekc"),
    Typo(envoy, "envoy/envoy.yaml", "lb_policy", "lb_polcy"),
    Typo(envoy, "envoy/envoy.yaml", "max_retries", "max_retires"),
    Typo(envoy, "envoy/envoy-tls.yaml", "client_certificate:", "cleint_certificate:"),
    Typo(haproxy, "haproxy/haproxy.cfg", "retry-on", "retry-no"),
    Typo(haproxy, "haproxy/haproxy.cfg", "verifyhost", "verifyhots"),
    Typo(yamllint, "grafana/alerts.yaml", "groups:", "groups:\ngroups:"),
    Typo(kubernetes, "k8s/base/server.yaml", "minReplicas", "minReplica"),
    Typo(kubernetes, "k8s/base/server.yaml", "readinessProbe", "readynessProbe"),
    Typo(kubernetes, "k8s/overlays/single/kustomization.yaml", "redis.yaml", "rediss.yaml"),
    Typo(
        kubernetes, "k8s/overlays/sentinel/redis.yaml", "podManagementPolicy", "podManagmentPolicy"
    ),
    Typo(kubernetes, "k8s/overlays/cluster/redis.yaml", "backoffLimit", "backofLimit"),
    Typo(kubernetes, "k8s/components/tls/server.yaml", "secretName", "secertName"),
    Typo(redis, "redis/tls.conf", "tls-auth-clients", "tls-auth-client"),
    Typo(redis, "redis/redis.conf", "appendfsync always", "appendfsync allways"),
    Typo(redis, "redis/users.acl", "+evalsha", "+evalshaa"),
]
CHECKS = sorted({typo.check for typo in TYPOS}, key=lambda check: check.__name__)


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of certificates for every part."""
    made = Certificates(tmp_path_factory.mktemp("certificates"))
    made.renew()
    return made.folder


@pytest.fixture
def deploy(tmp_path: Path, certificates: Path) -> Path:
    """Return a copy of the folder, to be spoilt."""
    copy = shutil.copytree(DEPLOY, tmp_path / "deploy")
    shutil.copytree(certificates, copy / CERTIFICATES)
    return copy


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_shipped_files_pass(check: Callable[[Path], str], deploy: Path) -> None:
    assert check(deploy) == ""


@pytest.mark.parametrize("typo", TYPOS, ids=lambda typo: f"{typo.check.__name__}-{typo.wrong}")
def test_a_typo_is_found(typo: Typo, deploy: Path) -> None:
    file = deploy / typo.path
    assert typo.right in file.read_text()
    file.write_text(file.read_text().replace(typo.right, typo.wrong, 1))
    assert typo.check(deploy) != ""


def test_compose_names_no_password(deploy: Path) -> None:
    text = (deploy / "compose.yaml").read_text()
    environments = [
        each.get("environment", {}) for each in yaml.safe_load(text)["services"].values()
    ]
    secret = [value for env in environments for value in env.values() if "PASSWORD" in value]
    assert secret
    assert all("${" in value for value in secret)


LIVE = {"port": 8080, "service": "live"}
OVERLAYS = sorted((DEPLOY / "k8s" / "overlays").iterdir())


def built(overlay: Path) -> dict[tuple[str, str], Any]:
    """Return the objects of an overlay by kind and name."""
    made = subprocess.run(["kustomize", "build", overlay], capture_output=True, check=True)
    objects = yaml.safe_load_all(made.stdout)
    return {(each["kind"], each["metadata"]["name"]): each for each in objects}


def test_every_container_is_confined() -> None:
    """Hold the pods against the restricted standard, and the names that the server would refuse."""
    for overlay in OVERLAYS:
        pods = [
            each["spec"]["template"]["spec"]
            for each in built(overlay).values()
            if each["kind"] in ("Deployment", "StatefulSet", "Job")
        ]
        assert len(pods) >= 2
        for pod in pods:
            assert pod["enableServiceLinks"] is False, "DRAGONHALL_… variables stop the server"
            assert pod["securityContext"]["runAsNonRoot"]
            assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
            for container in pod["containers"]:
                confined = container["securityContext"]
                assert confined["readOnlyRootFilesystem"]
                assert not confined["allowPrivilegeEscalation"]
                assert confined["capabilities"] == {"drop": ["ALL"]}


@pytest.mark.parametrize("overlay", OVERLAYS, ids=lambda overlay: overlay.name)
def test_where_the_store_is_away_calls_still_come_to_servers(overlay: Path) -> None:
    """No server is ready then, and yet it is they who tell callers when to come back."""
    objects = built(overlay)
    assert objects["Service", "server"]["spec"]["publishNotReadyAddresses"] is True
    (envoy,) = objects["Deployment", "envoy"]["spec"]["template"]["spec"]["containers"]
    over_tls = {"httpGet": {"path": "/ready", "port": 8081}}
    asked = over_tls if overlay.name.endswith("-tls") else {"grpc": LIVE}
    assert envoy["readinessProbe"] == {**asked, "periodSeconds": 2}


def test_envoys_own_readiness_over_tls_follows_no_server() -> None:
    text = (DEPLOY / "envoy" / "envoy-tls.yaml").read_text()
    assert "health_check.v3.HealthCheck" in text
    assert "cluster_min_healthy_percentages" not in text


def test_the_job_that_forms_a_cluster_goes_when_it_is_done() -> None:
    """Its template cannot be changed, and names a ConfigMap that each change names anew."""
    job = built(DEPLOY / "k8s" / "overlays" / "cluster")["Job", "form-cluster"]
    assert job["spec"]["ttlSecondsAfterFinished"] == 300


def test_pods_have_every_script_and_configuration_of_the_store() -> None:
    (made,) = yaml.safe_load((DEPLOY / "redis" / "kustomization.yaml").read_text())[
        "configMapGenerator"
    ]
    shipped = {path.name for path in (DEPLOY / "redis").iterdir()}
    assert set(made["files"]) == shipped - {"kustomization.yaml", "backup.sh"}
