"""The peer of the service: a bare grpc.aio server that returns what it gets.

`python -m tests.bench.echo` prints its port and serves until SIGTERM.
"""

import asyncio
import signal
from typing import Any

import grpc

METHOD = "/dragonhall.bench.Echo/Echo"
PAYLOAD = bytes(range(256)) * 4
"""1 KB."""


async def _echo(request: bytes, context: Any) -> bytes:
    return request


async def main() -> None:
    service, _, name = METHOD.strip("/").partition("/")
    server = grpc.aio.server()
    handlers: dict[str, Any] = {name: grpc.unary_unary_rpc_method_handler(_echo)}
    server.add_registered_method_handlers(service, handlers)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, handlers),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    print(port, flush=True)
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    await stop.wait()
    await server.stop(None)


if __name__ == "__main__":
    asyncio.run(main())
