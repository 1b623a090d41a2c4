"""The methods of a running server, asked of itself: what is added is found without being listed."""

from dataclasses import dataclass
from typing import Any

import grpc
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import (
    ProtoReflectionDescriptorDatabase,
)

Path = tuple[FieldDescriptor, ...]
"""From a field of a request down to one within it."""


@dataclass(frozen=True)
class Method:
    """One method of one service.

    Attributes:
        path: as gRPC sends it, `/package.Service/Method`.
        ours: whether it is of Dragonhall, not of a standard service such as health.
    """

    path: str
    request: Descriptor
    request_streaming: bool
    response_streaming: bool

    @property
    def name(self) -> str:
        """Its name without the service."""
        return self.path.rpartition("/")[2]

    @property
    def ours(self) -> bool:
        return self.path.startswith("/dragonhall.")

    def new(self) -> Message:
        """Make an empty request."""
        request: Message = GetMessageClass(self.request)()
        return request

    def call(self, channel: Any) -> Any:
        """Return what calls it with bytes and gives bytes."""
        kind = f"{'stream' if self.request_streaming else 'unary'}_"
        kind += "stream" if self.response_streaming else "unary"
        return getattr(channel, kind)(self.path)


def methods_of(target: str) -> list[Method]:
    """Ask a server for all its methods; blocks."""
    with grpc.insecure_channel(target) as channel:
        database = ProtoReflectionDescriptorDatabase(channel)
        pool = DescriptorPool(database)
        services = [pool.FindServiceByName(name) for name in sorted(database.get_services())]
        return [
            Method(
                f"/{service.full_name}/{method.name}",
                method.input_type,
                method.client_streaming,
                method.server_streaming,
            )
            for service in services
            for method in service.methods
        ]


def paths_of(message: Descriptor, above: Path = ()) -> list[Path]:
    """List every field of a message and of what it holds; a type within itself is not followed."""
    found = []
    for field in message.fields:
        path = (*above, field)
        found.append(path)
        if field.message_type and field.message_type not in [f.containing_type for f in path]:
            found += paths_of(field.message_type, path)
    return found


def text_of(path: Path) -> str:
    """Write a path as refusals do, without list indices."""
    return ".".join(field.name for field in path)


def names_a_field(message: Descriptor, path: str) -> bool:
    """Tell whether a path of a refusal, list indices included, leads to a field or oneof."""
    inner: Descriptor | None = message
    parts = path.split(".")
    for at, part in enumerate(parts):
        name, bracket, index = part.partition("[")
        if inner is None:
            return False
        if name in inner.oneofs_by_name:
            return at == len(parts) - 1 and not bracket
        field = inner.fields_by_name.get(name)
        if field is None or (bracket and not (field.is_repeated and index[:-1].isdecimal())):
            return False
        inner = field.message_type
    return True
