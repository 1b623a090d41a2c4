"""The texts of all games, and what language a piece of text is in."""

import re
from collections.abc import Iterator

from dragonhall_service.texts.reading import LANGUAGES, TEXTS, GameText, read_texts

ALL = {
    folder.name: read_texts(folder.name)
    for folder in TEXTS.iterdir()
    if (folder / "components.toml").is_file()
}
"""Every game's texts, also of a game that the service does not offer yet."""

EVERY = [(game, language) for game in sorted(ALL) for language in LANGUAGES]

ALPHABETS = {
    "en": "abcdefghijklmnopqrstuvwxyz",
    "de": "abcdefghijklmnopqrstuvwxyzäöüß",
    "uk": "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя",
    "pl": "aąbcćdeęfghijklłmnńoóprsśtuwyzźż",
    "ro": "aăâbcdefghiîjklmnoprsștțuvxz",
}
FREQUENT = {
    "en": "the of and is are you your to with from it they this that which who each one only no",
    "de": "der die das den dem und ist du dein deine sie wer nur nicht ein eine mit auf von zu es",
    "uk": "і й та або не у в на з до що він вони його ви ваш хто якщо це лише карти карт за усі",
    "pl": "i lub nie w na z do co to jest jeśli się kto jej jego tylko albo kart za są",
    "ro": "și sau nu în pe cu din de la ce este dacă se cine lui ei doar fie cărți cărțile toate o",
}
_CODE = re.compile(r"`[^`]*`|\bD[HK]-\d+(?:\.\d+)?")
_RULE = re.compile(r"^- \*\*([A-Z]+-\d+\.\d+)\*\* (.*)$", re.MULTILINE)


def prose(text: str) -> str:
    """Return a text without notation and rule numbers, which are the same in every language."""
    return _CODE.sub(" ", text)


def words(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]+", prose(text).lower())


def rules(text: GameText) -> dict[str, str]:
    """Return the sentences of every rule by its number."""
    return dict(_RULE.findall(text.rules))


def facts(sentence: str) -> tuple[list[str], list[str]]:
    """Return the numbers of a rule and its notation, which no translation may change."""
    return sorted(re.findall(r"\d+", sentence)), re.findall(r"`.*?`", sentence)


def unlike(one: str, other: str) -> list[str]:
    """Name the rules that do not say the same numbers and notation in two texts of one game."""
    left, right = (dict(_RULE.findall(text)) for text in (one, other))
    return [
        rule for rule in left | right if facts(left.get(rule, "")) != facts(right.get(rule, ""))
    ]


def passages(text: GameText) -> Iterator[str]:
    """Yield everything that is written in a language: lines of the rules, names, descriptions."""
    yield from (text.title, *text.terms.values())
    yield from (line for line in text.rules.splitlines() if line)
    for group in text.groups:
        yield group.name
        yield from (component.name for component in group.components)
    for option in text.options:
        yield from (option.name, option.description)
        for choice in option.choices:
            yield from (choice.name, choice.description)


def foreign_letters(text: str, language: str) -> set[str]:
    """Return the letters of a text that its language does not have."""
    return {letter for word in words(text) for letter in word} - set(ALPHABETS[language])


def likely_languages(text: str) -> set[str]:
    """Name the languages whose frequent words a text has most of."""
    found = words(text)
    counts = {
        language: sum(word in listed.split() for word in found)
        for language, listed in FREQUENT.items()
    }
    return {language for language, count in counts.items() if count == max(counts.values())}
