"""The dashboard and the alerts ask for what a server really exports, by its real labels."""

import asyncio
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import grpc
import promql_parser as promql
import pytest
import yaml

from dragonhall.v1 import match_service_pb2
from dragonhall_service.metrics import OUTCOMES, Metrics
from tests.deploy.stack import DEPLOY
from tests.service.driver import dealt, play_on
from tests.service.scraping import MATCHES, scraped

RULES = yaml.safe_load((DEPLOY / "grafana" / "alerts.yaml").read_text())["groups"][0]["rules"]
DASHBOARD = json.loads((DEPLOY / "grafana" / "dashboard.json").read_text())
ALERTS = {rule["alert"]: rule["expr"] for rule in RULES}
TARGETS = {
    f"{panel['title']} {target['refId']}": target["expr"].replace("$__rate_interval", "5m")
    for panel in DASHBOARD["panels"]
    for target in panel["targets"]
}
PROMETHEUS_OWN = {"up": {"job": {"dragonhall"}, "instance": {""}}}
CODES = {code.name for code in grpc.StatusCode}

Exported = dict[str, dict[str, set[str]]]
"""The names of samples, for each its labels, for each of those the values that were seen."""


@pytest.fixture(scope="module")
def exported(one_store_url: str) -> Exported:
    """Return what a server exports that has played and shown a match."""
    return asyncio.run(_exported(one_store_url))


async def _exported(store_url: str) -> Exported:
    found: Exported = defaultdict(lambda: defaultdict(set))
    async with scraped(store_url) as (stub, scrape):
        table = await dealt(stub)
        await play_on(stub, table)
        asked = match_service_pb2.WatchMatchRequest(match_id=table.match_id)
        assert [message async for message in stub.WatchMatch(asked)]
        await scrape.until(1, "dragonhall_calls_total", method=f"{MATCHES}WatchMatch")
        for sample in await asyncio.to_thread(scrape.samples):
            for label, value in sample.labels.items():
                found[sample.name][label].add(value)
            found[sample.name]["job"].add("dragonhall")
            found[sample.name]["instance"].add("")
    return found


def parts(node: Any) -> Iterator[Any]:
    """Yield an expression and everything in it."""
    yield node
    inner = [getattr(node, name, None) for name in ("lhs", "rhs", "expr", "vector_selector")]
    for part in [*inner, *getattr(node, "args", [])]:
        if part is not None:
            yield from parts(part)


def faults(expression: str, exported: Exported) -> list[str]:
    """Name what an expression asks for that nobody exports."""
    nodes = list(parts(promql.parse(expression)))
    selectors = [node for node in nodes if isinstance(node, promql.VectorSelector)]
    assert selectors, expression
    grouped = {
        label
        for node in nodes
        if isinstance(node, promql.AggregateExpr) and node.modifier
        for label in node.modifier.labels
    }
    found = []
    for selector in selectors:
        name = selector.name or ""
        labels = exported.get(name) or PROMETHEUS_OWN.get(name)
        if labels is None:
            found.append(f"no {selector.name}")
            continue
        found += [f"{selector.name} has no {label}" for label in grouped - set(labels)]
        for matcher in selector.matchers.matchers:
            if matcher.name not in labels:
                found.append(f"{selector.name} has no {matcher.name}")
            else:
                known = CODES if matcher.name == "code" else labels[matcher.name]
                found += [f"no {v}" for v in matcher.value.split("|") if v not in known]
    return found


@pytest.mark.parametrize("name", ALERTS)
def test_an_alert_asks_for_what_there_is(name: str, exported: Exported) -> None:
    assert faults(ALERTS[name], exported) == []


@pytest.mark.parametrize("name", TARGETS)
def test_a_panel_asks_for_what_there_is(name: str, exported: Exported) -> None:
    assert faults(TARGETS[name], exported) == []


def test_every_metric_of_ours_is_shown(exported: Exported) -> None:
    asked = " ".join([*ALERTS.values(), *TARGETS.values()])
    families = {re.sub(r"_(bucket|sum|count|created|total)$", "", name) for name in exported}
    ours = {name for name in families if name.startswith("dragonhall_")}
    assert len(ours) >= 9
    assert [name for name in sorted(ours) if name not in asked] == []


def test_every_outcome_is_told_before_its_first(exported: Exported) -> None:
    assert exported["dragonhall_commits_total"]["outcome"] == set(OUTCOMES)


def test_an_alert_sees_the_first_of_its_kind() -> None:
    """Nothing increases by appearing: what is counted must have been 0."""
    fresh = Metrics().registry
    counted = re.findall(r"increase\((\w+)(?:{(\w+)=\"(\w+)\"})?\[", " ".join(ALERTS.values()))
    assert len(counted) == 3 == " ".join(ALERTS.values()).count("increase(")
    for name, label, value in counted:
        assert fresh.get_sample_value(name, {label: value} if label else {}) == 0, name


@pytest.mark.parametrize(
    "expression",
    [
        "rate(dragonhall_call_total[5m])",
        "sum by (codes) (dragonhall_calls_total)",
        'dragonhall_calls_total{kode="OK"}',
        'dragonhall_calls_total{code="FINE"}',
        'dragonhall_calls_total{code=~"OK|FINE"} / 2',
        'dragonhall_open_calls{method="dragonhall.v1.MatchService/Watch"} > 1',
        "histogram_quantile(0.9, sum by (of) (rate(dragonhall_loop_lag_seconds_bucket[5m])))",
    ],
)
def test_a_planted_fault_is_found(expression: str, exported: Exported) -> None:
    assert len(faults(expression, exported)) == 1


def test_the_runbook_says_what_to_do_about_each_alert() -> None:
    told = re.findall(r"^### (\w+)$", (DEPLOY / "README.md").read_text(), re.MULTILINE)
    assert told == list(ALERTS)
