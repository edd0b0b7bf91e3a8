"""The commands `streamcord ask` and `streamcord replay`: show an answer, live or recorded, as a channel would."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from importlib.util import find_spec

from .. import AnswerContext, Settings, SettingsError, Source
from .._common.optional_dependencies import install_line
from ..providers import PRESETS, Options, Prompt, system, user
from ..settings import read_settings
from .live_frames import preview_source
from .plain_output import add_live_arguments, fail, run_live, setting_values
from .preview import show_frames
from .recording import RecordingError, read_live_limit, read_recording, record, replay

KEY_NAME = "STREAMCORD_API_KEY"
"""The environment variable of the key for providers without one of their own."""

ASK_EXAMPLES = """\
  streamcord ask --provider openai --model gpt-6-luna "Why is the sky blue?"
  streamcord ask --provider ollama --model qwen3 "Hi!" --degree heavy
  streamcord ask --provider custom --base-url http://127.0.0.1:8000/v1 --model m - < question.txt
Keys come from the environment: OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY, OPENROUTER_API_KEY, ...,
and STREAMCORD_API_KEY for a server of your own.
"""


def add_ask_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `ask`."""
    parser.add_argument("question", metavar="QUESTION", help="what to ask; - reads standard input")
    parser.add_argument(
        "--provider", required=True, choices=list(PRESETS), metavar="NAME", help=", ".join(PRESETS)
    )
    parser.add_argument("--model", required=True, metavar="NAME", help="the model, as the provider calls it")
    parser.add_argument("--base-url", default="", metavar="URL", help="where its API lives, if elsewhere")
    parser.add_argument("--allow-http", action="store_true", help="send the key without encryption")
    parser.add_argument("--system", default="", metavar="TEXT", help="what the model is told about itself")
    parser.add_argument(
        "--stop",
        action="append",
        default=[],
        metavar="TEXT",
        help="end the answer at this text, in which \\n is a line break; may be given again",
    )
    parser.add_argument("--record", metavar="FILE", help="write everything it says, for `streamcord replay`")
    parser.add_argument("--mask-text", action="store_true", help="with --record: hide the words themselves")
    add_live_arguments(parser)


def run_ask(arguments: argparse.Namespace) -> int:
    """Ask a model and return the exit status."""
    question = sys.stdin.read() if arguments.question == "-" else arguments.question
    if fault := _find_fault(arguments, question):
        return fail(fault)
    prompt = system(arguments.system) + user(question)
    try:
        values = setting_values(arguments)
        values["stop_strings"] = [
            *values.get("stop_strings", ()),
            *(text.replace("\\n", "\n") for text in arguments.stop),
        ]
        return asyncio.run(_ask(prompt, *read_settings(values), arguments))
    except SettingsError as error:
        return fail(str(error))
    except OSError as error:
        return fail(f"cannot use {error.filename}: {error.strerror}")


def _find_fault(arguments: argparse.Namespace, question: str) -> str:
    """Return what is missing before the model can be asked, or ""."""
    name, preset = arguments.provider, PRESETS[arguments.provider]
    if find_spec("aiohttp") is None:
        return f"asking needs aiohttp: {install_line('providers')}"
    if not question.strip():
        return "the question is empty"
    if not (arguments.base_url or preset.base_url):
        return f"{name} has no address of its own: say --base-url URL"
    if preset.key_name and not arguments.base_url and not find_key(name):
        return f"{name} needs a key: set {preset.key_name} in the environment"
    return ""


async def _ask(
    prompt: Prompt, settings: Settings, context: AnswerContext, arguments: argparse.Namespace
) -> int:
    from ..providers import HttpProvider  # noqa: PLC0415  (an extra)

    key = find_key(arguments.provider)
    async with HttpProvider(
        arguments.provider,
        model=arguments.model,
        key=key,
        base_url=arguments.base_url,
        allow_http=arguments.allow_http,
    ) as provider:
        source: Source = provider.stream(prompt, Options(stop=settings.stop_strings))
        if arguments.record:
            source = record(
                source, arguments.record, secrets=[key], mask_text=arguments.mask_text, settings=settings
            )
        return await run_live(source, settings, context, arguments)


def find_key(provider: str) -> str:
    """Return the provider's key from the environment."""
    return os.environ.get(PRESETS[provider].key_name or KEY_NAME, "")


# --- streamcord replay -----------------------------------------------------------------------------------


LIVE_LIMIT = 4000
REPLAY_EXAMPLES = """\
  streamcord replay answer.rec                  as it was, in its own time
  streamcord replay answer.rec --speed 0        all at once
  streamcord replay answer.rec --live           one live message: each frame and its time
  streamcord replay answer.rec --degree heavy   the same words with other settings
"""


def add_replay_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `replay`."""
    parser.add_argument("file", metavar="FILE", help="a recording, as `streamcord ask --record` writes it")
    parser.add_argument(
        "--speed", type=_speed, default=1.0, metavar="X", help="times as fast (default 1); 0 is at once"
    )
    parser.add_argument("--live", action="store_true", help="show the frames of one live message")
    add_live_arguments(parser)


def run_replay(arguments: argparse.Namespace) -> int:
    """Replay one recording and return the exit status."""
    try:
        values = setting_values(arguments)
        entries = read_recording(arguments.file)
        if limit := min(read_live_limit(arguments.file), LIVE_LIMIT):
            # An answer that was delivered live is replayed live, unless the arguments say otherwise.
            values = {"delivery": "live", "live_limit": limit} | values
        settings, context = read_settings(values)
    except SettingsError as error:
        return fail(str(error))
    except RecordingError as error:
        return fail(f"{arguments.file} is not a recording: {error}")
    except OSError as error:
        return fail(f"cannot read {error.filename}: {error.strerror}")
    except UnicodeDecodeError:
        return fail(f"{arguments.file} is not a recording: it is not UTF-8")
    speed: float = arguments.speed
    if arguments.live or settings.delivery == "live":
        frames = preview_source(
            lambda sleep: replay(entries, speed=speed, sleep=sleep), settings, arguments.seed, context=context
        )
        show_frames(frames, as_json=arguments.json)
        return 0
    source = replay(entries, speed=speed)
    return asyncio.run(run_live(source, settings, context, arguments, speed=speed))


def _speed(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number < float("inf"):
        raise argparse.ArgumentTypeError(f"must be a number of 0 or more, not {text!r}")
    return number
