"""Milliseconds as protos."""

from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp


def timestamp(milliseconds: int) -> Timestamp:
    """Return a time, given in milliseconds since 1970."""
    time = Timestamp()
    time.FromMilliseconds(milliseconds)
    return time


def duration(milliseconds: int) -> Duration:
    """Return a length of time."""
    length = Duration()
    length.FromMilliseconds(milliseconds)
    return length
