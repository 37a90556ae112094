"""Placeholders in a case's texts: `{name}`, `{tier.port}`, `{threads * 2 + 1}`."""

import ast
import operator
import re
from collections.abc import Callable, Mapping

# A brace before anything but a letter or parenthesis is text: JSON bodies need no escapes.
PLACEHOLDER = re.compile(r"\{([A-Za-z_(][A-Za-z0-9_.+\-*/ ()]*)\}")

_OPERATORS: dict[type, Callable] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
}


class UnknownName(Exception):
    """A placeholder names something that is not there."""


def evaluate(expression: str, values: Mapping[str, object]) -> object:
    """The value of a name or of a sum over names and numbers."""
    try:
        return _value(ast.parse(expression.strip(), mode="eval").body, values)
    except (SyntaxError, TypeError, ZeroDivisionError) as error:
        raise UnknownName(f"'{{{expression}}}' cannot be computed: {error}") from error


def _value(node: ast.AST, values: Mapping[str, object]) -> object:
    match node:
        case ast.Constant(value=int() | float() as number):
            return number
        case ast.Name(id=name):
            return _look_up(name, values)
        case ast.Attribute(value=ast.Name(id=tier), attr=what):
            return _look_up(f"{tier}.{what}", values)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](_value(left, values), _value(right, values))
    raise TypeError("only names, numbers, + - * / // and parentheses are allowed")


def _look_up(name: str, values: Mapping[str, object]) -> object:
    try:
        return values[name]
    except KeyError:
        raise UnknownName(
            f"'{name}' is not known; known are: {', '.join(sorted(values))}"
        ) from None


def fill(value: object, values: Mapping[str, object]) -> object:
    """The value with its placeholders filled; a text that is one placeholder becomes its value."""
    if isinstance(value, str):
        whole = PLACEHOLDER.fullmatch(value)
        if whole:
            return evaluate(whole[1], values)
        return PLACEHOLDER.sub(lambda found: str(evaluate(found[1], values)), value)
    if isinstance(value, list):
        return [fill(each, values) for each in value]
    if isinstance(value, dict):
        return {str(fill(key, values)): fill(each, values) for key, each in value.items()}
    return value
