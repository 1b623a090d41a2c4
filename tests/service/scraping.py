"""Asks a server for its metrics, as Prometheus does."""

import asyncio
import socket
import urllib.request
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.samples import Sample

from tests.service.driver import served

MATCHES = "dragonhall.v1.MatchService/"
"""Before the names of its methods."""


def free_address() -> str:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return f"127.0.0.1:{found.getsockname()[1]}"


class Scrape:
    """The metrics of a server, asked anew for each value."""

    def __init__(self, address: str) -> None:
        self._url = f"http://{address}/metrics"

    def samples(self) -> list[Sample]:
        with urllib.request.urlopen(self._url) as answer:
            families = list(text_string_to_metric_families(answer.read().decode()))
        return [sample for family in families for sample in family.samples]

    def value(self, name: str, **labels: str) -> float:
        found = [sample for sample in self.samples() if sample.name == name]
        return sum(sample.value for sample in found if labels.items() <= sample.labels.items())

    async def until(self, wanted: float, sample: str, **labels: str) -> None:
        async with asyncio.timeout(10):
            while await asyncio.to_thread(self.value, sample, **labels) != wanted:
                await asyncio.sleep(0.02)


@asynccontextmanager
async def scraped(url: str, **settings: Any) -> AsyncIterator[tuple[Any, Scrape]]:
    address = free_address()
    async with served(url, metrics_listen=address, **settings) as stub:
        yield stub, Scrape(address)
