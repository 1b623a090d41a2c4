"""How long Envoy holds back who calls too often."""

import yaml

from dragonhall.sdk.retry import Retry
from tests.deploy.envoy_tls import PLAIN
from tests.deploy.tls import DEPLOY


def test_a_slowed_call_waits_as_long_as_readme_says_and_less_than_an_sdk_does() -> None:
    config = yaml.safe_load(PLAIN.read_text())
    manager = config["static_resources"]["listeners"][0]["filter_chains"][0]["filters"][0]
    filters = manager["typed_config"]["http_filters"]
    faults = [each["typed_config"]["delay"] for each in filters if each["name"].endswith(".fault")]
    delays = [
        (float(delay["fixed_delay"].removesuffix("s")), delay["percentage"]["numerator"])
        for delay in faults
    ]
    least = sum(seconds for seconds, percent in delays if percent == 100)
    most = sum(seconds for seconds, _ in delays)
    readme = " ".join((DEPLOY / "README.md").read_text().split())
    assert f"is passed on {least:.1f} to {most:.1f} seconds later" in readme
    assert f"are passed on {least:.1f} to {most:.1f} seconds late" in PLAIN.read_text()
    assert 0 < least < most < Retry().deadline_s
