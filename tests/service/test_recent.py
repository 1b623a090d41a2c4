"""What many watchers are told is made once."""

from dragonhall_service.recent import Recent


def test_it_is_made_once_for_a_key() -> None:
    recent: Recent[list[int]] = Recent(2)
    first = recent.get("a", lambda: [1])
    assert recent.get("a", lambda: [2]) is first
    assert recent.get("b", lambda: [3]) == [3]


def test_what_was_not_asked_for_lately_is_let_go() -> None:
    recent: Recent[str] = Recent(2)
    for key in ("a", "b", "a", "c"):
        recent.get(key, lambda key=key: f"first {key}")  # type: ignore[misc]
    found = [recent.get(key, lambda: "again") for key in ("a", "c", "b")]
    assert found == ["first a", "first c", "again"]
