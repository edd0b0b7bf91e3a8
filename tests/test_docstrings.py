"""Every public name has a docstring that shows its use, in Google style (`docs/api` prints them)."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import re
import textwrap

import pytest

from test_exports import PUBLIC

NAMES = {
    name: getattr(module, name) for module in map(importlib.import_module, PUBLIC) for name in module.__all__
}
DOCUMENTED = [
    pytest.param(getattr(importlib.import_module(module), name), id=f"{module}.{name}")
    for module in PUBLIC
    for name in importlib.import_module(module).__all__
    if inspect.isclass(NAMES[name]) or inspect.isfunction(NAMES[name])
]
FUNCTIONS = [param for param in DOCUMENTED if inspect.isfunction(param.values[0])]


def read_example(value: object) -> str:
    """Return the code below `Example:`, or an empty string."""
    _, _, rest = (inspect.getdoc(value) or "").partition("\nExample:\n")
    return textwrap.dedent(re.split(r"\n(?=\S)", rest)[0]).strip("\n")


@pytest.mark.parametrize("value", DOCUMENTED)
def test_public_name_has_a_valid_example(value: object) -> None:
    example = read_example(value)

    assert example, "add a section `Example:`"
    if example.startswith(">>>"):
        test = doctest.DocTestParser().get_doctest(example, dict(NAMES), "example", None, None)
        flags = doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL
        assert doctest.DocTestRunner(optionflags=flags).run(test).failed == 0
    else:
        # Inside a function, so that `await`, `return` and `yield` are allowed.
        ast.parse(f"async def example():\n{textwrap.indent(example, '    ')}")


@pytest.mark.parametrize("value", FUNCTIONS)
def test_public_function_describes_every_parameter(value: object) -> None:
    _, _, described = (inspect.getdoc(value) or "").partition("Args:\n")
    names = set(re.findall(r"^    \*{0,2}(\w+): ", described, re.MULTILINE))

    assert set(inspect.signature(value).parameters) - names == set()  # type: ignore[arg-type]
