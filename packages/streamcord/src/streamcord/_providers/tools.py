"""Tools: typed functions that a model may call.

    @tool
    async def roll(sides: Annotated[int, "how many sides the die has"] = 6) -> str:
        "Roll a die."
        return str(randint(1, sides))

The model sees the function's name, docstring and annotations. A parameter of type `Post` or `AskUser` is not the
model's: through it the tool posts into the channel, or asks the people there.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Protocol, TypeAlias, Union, get_args, get_origin, get_type_hints

from .._events import Ask, AskOption, Attachment, Decision, Message, ToolCall
from .._exceptions import SettingsError, ToolError
from .prompt import File, Image, Part, Text, ToolSpec
from .tool_calls import INVALID_ARGUMENTS

Schema: TypeAlias = dict[str, Any]

_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (NoneType,),
}

_KINDS: Mapping[object, str] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    dict: "object",
    list: "array",
    NoneType: "null",
}


@dataclass(frozen=True, slots=True)
class Post:
    """Lets a tool post a message, in its place between the model's text.

    Example:
        @tool
        async def roll(post: Post) -> str:
            "Roll a die."
            post("-# rolling ...")
            return "6"

    """

    put: Callable[[Message], None] = field(repr=False)
    on_progress: Callable[[str], None] = field(default=lambda _: None, repr=False)

    def progress(self, step: str) -> None:
        """Say what the tool does now, such as `40 %`: nothing is posted, but a progress line may show it.

        Args:
            step: A few words; only the newest are kept.

        """
        self.on_progress(step)

    def __call__(self, content: str = "", *files: Attachment) -> None:
        """Queue a message after the text so far.

        Args:
            content: The text.
            files: Files to attach.

        """
        self.put(Message(content, files=files))


class Asker(Protocol):
    """Protocol: asks people for a tool; `Asks.ask` is one.

    It may raise `AnswerSuspended` instead: then the answer ends with the question, and the call is made again, with
    the decision, when there is one.

    Example:
        with_tools(provider, prompt, tools, ask=asks.ask)

    """

    async def __call__(self, ask: Ask, call: ToolCall, post: Post, *files: Attachment) -> Decision | None:
        """Ask for a call and return the decision, or `None` if no one decided in time.

        Args:
            ask: The question, without an id.
            call: The call whose tool asks.
            post: Puts a message in its place between the model's text.
            files: Files that belong to the question.

        """


class AnswerSuspended(Exception):
    """The answer ends here with a question, and continues when a person has decided.

    Args:
        ask: The question, with the id of its row.
        files: Files that belong to it.

    Example:
        raise AnswerSuspended(await asks.open(ask))

    """

    def __init__(self, ask: Ask, files: tuple[Attachment, ...] = ()) -> None:
        super().__init__(ask.question)
        self.ask = ask
        self.files = files


class AskUser:
    """Lets a tool ask the people in the channel, by buttons, a menu or a form.

    The time until they decide does not count as the tool's.

    Example:
        @tool
        async def deploy(version: str, ask: AskUser) -> str:
            "Deploy a version."
            decision = await ask(f"Deploy {version}?", ("yes", "no"))
            return await roll_out(version) if decision.value == "yes" else "They said no."

    """

    def __init__(
        self,
        ask: Callable[..., Awaitable[Decision | None]] | None,
        earlier: Sequence[tuple[Ask, Decision]] = (),
    ) -> None:
        self._ask = ask
        self.earlier = tuple(earlier)
        """What this call has asked before, if it is made again after a decision; asking again returns that."""
        self.waits = 0
        """How many questions of this call wait for a decision."""

    async def __call__(
        self,
        question: str | Ask,
        options: Sequence[str | AskOption] = (),
        *files: Attachment,
        **more: Any,  # noqa: ANN401
    ) -> Decision:
        """Ask, and return the decision.

        Args:
            question: The question, or a whole `Ask`.
            options: The answers.
            files: Files that belong to the question.
            **more: As for `Ask`: `several`, `menu`, `who`, `roles`, `expires`.

        Raises:
            ToolError: The question cannot be shown, no one decided in time, or this program cannot ask.

        """
        try:
            ask = question if isinstance(question, Ask) else Ask(question, options, **more)
        except (ValueError, TypeError) as error:
            raise ToolError(f"Nothing was asked: {error}.") from None
        if self._ask is None:
            raise ToolError("This program cannot ask people. Ask in your text instead.")
        self.waits += 1
        try:
            decision = await self._ask(ask, *files)
        finally:
            self.waits -= 1
        if decision is None:
            raise ToolError("Nobody answered in time.")
        return decision


@dataclass(frozen=True, slots=True)
class Tool:
    """A function that the model may call; `spec` is how it is described to the model.

    `tool` makes one from a function. Build it yourself if the description comes from elsewhere.

    Example:
        async def call_server(**arguments: object) -> str:
            return await server.call("search", arguments)

        search = Tool(call_server, ToolSpec("search", "Search the wiki.", schema))

    """

    function: Callable[..., Any]
    spec: ToolSpec
    post_name: str = ""
    """The parameter that gets the `Post`, if the function has one."""
    ask_name: str = ""
    """The parameter that gets the `AskUser`, if the function has one."""

    def __call__(self, *args: object, **kwargs: object) -> Any:  # noqa: ANN401
        """Call the function itself."""
        return self.function(*args, **kwargs)

    def bind(self, arguments: Mapping[str, Any], post: Post, ask: AskUser | None = None) -> dict[str, Any]:
        """Check the arguments of a call and return them, with the `Post` and `AskUser` if the function takes them.

        Raises:
            ToolError: The arguments do not fit; the message tells the model what is wrong.

        """
        if INVALID_ARGUMENTS in arguments:
            raise ToolError("The arguments are not a JSON object. Send one that fits the tool's parameters.")
        known = self.spec.parameters.get("properties", {})
        if unknown := sorted(arguments.keys() - known.keys()):
            raise ToolError(f"There is no parameter {unknown[0]!r}; there are: {', '.join(known) or 'none'}.")
        missing = [name for name in self.spec.parameters.get("required", ()) if name not in arguments]
        if missing:
            raise ToolError(f"The parameter {missing[0]!r} is missing.")
        for name, value in arguments.items():
            _check(name, known[name], value)
        more: dict[str, Any] = {self.post_name: post} if self.post_name else {}
        if self.ask_name:
            more[self.ask_name] = ask or AskUser(None)
        return {**arguments, **more}

    @property
    def is_async(self) -> bool:
        """Whether the function must be awaited; others run in a thread."""
        return inspect.iscoroutinefunction(self.function)


def tool(function: Callable[..., Awaitable[Any]] | Callable[..., Any]) -> Tool:
    """Make a tool from a function with annotated parameters; usable as a decorator.

    The model sees the function's name, docstring and annotations.

    Args:
        function: The function, sync or async. A parameter of type `Post` lets it send messages, one of type
            `AskUser` lets it ask people.

    Returns:
        The tool, which can still be called like the function.

    Raises:
        SettingsError: The function has no name, or a parameter has a type that JSON does not have.

    Example:
        @tool
        async def roll(sides: Annotated[int, "number of sides"] = 6) -> str:
            "Roll a die."
            return str(randint(1, sides))

        await say(channel, with_tools(provider, user("Roll a d20!"), [roll]))

    """
    name = getattr(function, "__name__", "")
    if not name.isidentifier():
        raise SettingsError("tool", "a function with a name, by which the model calls it", name)
    hints = get_type_hints(function, include_extras=True)
    properties: dict[str, Schema] = {}
    required: list[str] = []
    post_name = ask_name = ""
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind in {parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY}:
            raise SettingsError(f"{name}.{parameter.name}", "a parameter with a name", str(parameter))
        hint = hints.get(parameter.name, str)
        if hint is Post:
            post_name = parameter.name
            continue
        if hint is AskUser:
            ask_name = parameter.name
            continue
        properties[parameter.name] = _schema(f"{name}.{parameter.name}", hint)
        if parameter.default is parameter.empty:
            required.append(parameter.name)
    needed = {"required": required} if required else {}
    parameters: Schema = {"type": "object", "properties": properties, **needed}
    description = inspect.getdoc(function) or ""
    return Tool(function, ToolSpec(name, description, parameters), post_name, ask_name)


def as_parts(result: object) -> tuple[Part, ...]:
    """Convert what a tool returned for the model: text and images as they are, anything else as JSON."""
    if result is None:
        return (Text("Done."),)
    if isinstance(result, str):
        return (Text(result or "(nothing)"),)
    if isinstance(result, Text | Image | File):
        return (result,)
    if isinstance(result, list | tuple) and any(isinstance(item, Text | Image | File) for item in result):
        return tuple(part for item in result for part in as_parts(item))
    try:
        return (Text(json.dumps(result, ensure_ascii=False, default=str)),)
    except (TypeError, ValueError, RecursionError):
        return (Text(str(result)),)


# --- Annotations to JSON schema ------------------------------------------------------------------------


def _schema(where: str, hint: object) -> Schema:  # noqa: PLR0911
    """Return the JSON schema of an annotation.

    Raises:
        SettingsError: JSON has no such type.

    """
    if hint is Any:
        return {}
    if hint in _KINDS:
        return {"type": _KINDS[hint]}
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        described = next((extra for extra in args[1:] if isinstance(extra, str)), "")
        return {**_schema(where, args[0]), **({"description": described} if described else {})}
    if origin is Literal:
        return {"enum": list(args)}
    if isinstance(hint, type) and issubclass(hint, Enum):
        return {"enum": [member.value for member in hint]}
    if origin in {Union, UnionType}:
        return {"anyOf": [_schema(where, arg) for arg in args]}
    if origin in {list, tuple, Sequence}:
        return {"type": "array", **({"items": _schema(where, args[0])} if args else {})}
    if origin in {dict, Mapping}:
        return {"type": "object"}
    raise SettingsError(where, "of a type that JSON has", hint)


def _check(name: str, schema: Mapping[str, Any], value: object) -> None:
    """Raise `ToolError` for a value of another type; models often write a number as a string."""
    if not _fits(schema, value):
        wanted = schema.get("type") or schema.get("enum") or "one of its types"
        raise ToolError(
            f"The parameter {name!r} must be {wanted}, not {json.dumps(value, default=str)[:80]}."
        )


def _fits(schema: Mapping[str, Any], value: object) -> bool:
    if "anyOf" in schema:
        return any(_fits(choice, value) for choice in schema["anyOf"])
    if "enum" in schema:
        return value in schema["enum"]
    kinds = _TYPES.get(schema.get("type", ""), (object,))
    # To Python a bool is a number, to JSON it is not.
    return isinstance(value, kinds) and (not isinstance(value, bool) or bool in kinds or object in kinds)
