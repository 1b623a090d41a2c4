"""Texts of a game as protos."""

from dragonhall.v1 import catalog_service_pb2 as pb
from dragonhall_service.texts.reading import Component, GameText, Group, Option


def text_to_proto(text: GameText) -> pb.GameText:
    """Return a game's text in one language."""
    return pb.GameText(
        language=text.language,
        title=text.title,
        groups=map(_group, text.groups),
        options=map(_option, text.options),
        rules=text.rules,
        terms=[pb.TermText(enum_value=value, name=name) for value, name in text.terms.items()],
    )


def _group(group: Group) -> pb.ComponentGroup:
    return pb.ComponentGroup(
        code=group.code,
        name=group.name,
        each_seat=group.each_seat,
        components=map(_component, group.components),
    )


def _component(component: Component) -> pb.Component:
    return pb.Component(
        code=component.code,
        name=component.name,
        enum_value=component.enum_value,
        count=component.count,
        faces=[
            pb.ComponentFace(code=face.code, value=face.value, count=face.count)
            for face in component.faces
        ],
    )


def _option(option: Option) -> pb.OptionText:
    return pb.OptionText(
        field=option.field,
        name=option.name,
        description=option.description,
        choices=[
            pb.ChoiceText(
                enum_value=choice.enum_value, name=choice.name, description=choice.description
            )
            for choice in option.choices
        ],
    )
