"""A two-way table between values of ours and the numbers of a proto enum."""

from collections.abc import Hashable, Mapping
from typing import Any, Generic, TypeVar

from google.protobuf.descriptor import EnumDescriptor

from dragonhall_service.usecases.refusals import FieldInvalid

K = TypeVar("K", bound=Hashable)


class EnumMap(Generic[K]):
    """Covers every number of the enum but 0, which is refused."""

    def __init__(self, numbers: Mapping[K, Any], enum: EnumDescriptor) -> None:
        self._numbers = dict(numbers)
        self._keys = {number: key for key, number in numbers.items()}
        missing = set(enum.values_by_number) - {0} - set(self._keys)
        if missing or len(self._keys) != len(self._numbers):
            raise ValueError(f"{enum.full_name} and its table disagree: {missing}")

    def to_proto(self, key: K) -> Any:
        """Return the number of a value."""
        return self._numbers[key]

    def from_proto(self, number: int, path: str) -> K:
        """Return the value of a number.

        Raises:
            FieldInvalid: 0 or a number that this release does not know.
        """
        if number not in self._keys:
            raise FieldInvalid(path, f"{number} is none of its values")
        return self._keys[number]
