"""Which numbered difference of docs/spec.md explains which disagreement with the reference.

A run is known by its tag, or by its input where it has none. What is not listed here is unexplained.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

__all__ = ["explain"]

_CHUNKS = {
    "D1": "url url_parens url_angle url_two url_newline bold_url paren_url list_urls "
    "numlist_urls angle_md_url",
    "D2": "code_longline long_noperiod long_nospace long_cjk long_cjk_punct long_emoji long_zwj long_flag "
    "long_url long_quote long_bold long_list emoji_run_long",
    "D4": "quotes apostrophes jp_lines spoiler",
    "D5": "numlist numlist_inline heading star_list bullets subtext",
    "D6": "abbrev initials ellipsis ip_file zh jp smileys time",
    "D10": "code_two code_long code_unclosed code_blank_long code_tick_end",
    "D11": "code_4tick",
    "D15": "punct_only punct_lines",
    "D16": "emoji_trail emoji_lead emoji_after_q emoji_jp emoji_punct",
}
_STREAMS = {
    "D1": "url|nasty: url order|nasty: url order d0|nasty: code with unbalanced paren before"
    "|nasty: emoji tag in url",
    "D2": "long_noline|long_nopunct|long_cjk|nasty: quote hold long paragraph d1"
    "|nasty: long line no quote d1|nasty: code fence >2000 one line|nasty: zwj at limit d0"
    "|nasty: surrogate at overflow|nasty: combining at overflow|nasty: zwj at overflow"
    "|nasty: flag at overflow|nasty: zwj at 1950 d0|nasty: long word url overflow d1"
    "|nasty: paren 3000 d2|nasty: quoted 3000 d3",
    "D3": "quote_never|quote_hold|frown|tilde|table|jp|mdlink|nasty: frown"
    "|nasty: quote hold long paragraph d0|nasty: unclosed paren whole answer 6000",
    "D4": "bold_nl|spoiler_nl|nasty: spoiler d3|nasty: rtl|nasty: nested quotes d3"
    "|nasty: apostrophe quotes d3",
    "D5": "list|nasty: blockquote d3|nasty: subtext d3",
    "D6": "nasty: hindi d3|nasty: numbers d3|nasty: pm d3|nasty: q and ! d3",
    "D9": "think|details|nasty: think mid-line|nasty: think in fence|nasty: details in html code",
    "D10": "code|nasty: code 16k|nasty: code 16k d0|nasty: code 16k real overflow"
    "|nasty: unclosed code at end",
    "D11": "code4|nasty: 4-tick",
    "D12": "comma|blank",
    "D13": "html|subtext|nasty: html tags|nasty: html list|nasty: colon end stream"
    "|nasty: star <tag> star|nasty: email+handles|nasty: time range|nasty: ipv6|nasty: css"
    "|nasty: emoji shortcode in code|nasty: nbsp",
    "D14": "dup|rep_lines|nasty: dedup lines|nasty: indent code tokens|nasty: numbers seq",
    "D15": "ell|nasty: ellipsis line|nasty: math lines|nasty: single-char bullets",
    "D17": "opening leak label|nasty: name preamble",
    "D30": "nasty: speaker guard url|nasty: speaker guard list",
    "D31": "nasty: system unclosed held",
    "D35": "nasty: time dedup|nasty: emoji only dup",
    "D36": "nasty: table long d1|nasty: ragged table",
    "D38": "emoji",
    "D52": "nasty: !!! alone end",
    "D51": "hr|nasty: markdown hr d3",
    "D18": "tool call trims clause|nasty: tool call inside code|nasty: tool e.g.|nasty: tool call list",
}
_INPUTS: dict[str, dict[str, list[str]]] = {
    "sentenceSplit": {
        "D75": ["etc. And so on"],
        "D6": [
            "no. that is wrong. ok",
            "He may. She may not.",
            "Item 3. Then 4. End",
            "He said p. 3. ok",
            '"Quote." Next',
            "I love us. They do too.",
            "ref. ma. ba. pl. ct. end.",
        ],
    },
    "hasIncompleteSemanticMarkers": {
        "D3": [
            "https:/",
            "a <t",
            "x <details",
            "<",
            "| a | b |",
            "| a | b |\n|---|---|\n",
            "| a | b |\n|---|---|\n| 1 | 2 |",
            "| a | b |\n|---|---|\n| 1 | 2 |\n",
            'the 12" pipe is',
            ":( sad",
        ],
        "D26": ["a || b || c"],
    },
    "autoCloseIncompleteMarkers": {"D8": ['("a', "2 * 3", "Intro (x\n| a | b |\n|---|---|\n| 1 | 2 |"]},
    "processBufferContent": {
        "D3": ['a "b\nc" d\ne', "text ```py", "```py\nx\n```", "``` ` ``` ", "x. ```a"],
        "D6": ["a. b", "a. b\nc"],
        "D11": ["````\n```js\n"],
        "D12": ["\n\nstart", " \nx"],
    },
    "drainThink": {"D9": ["x<think>a"]},
    "drainDetails": {"D9": ["pre<details>in</details>post", "<details>a<details>b</details>c</details>d"]},
    "findTrailingReasoningTagPrefix": {"D9": ["<mm:x", "i <3"]},
    "trimTrailingIncompleteClause": {"D18": ['"Quote." and', "a.b c"]},
    "humanizeString": {
        "D79": ["A book. An apple", "OK I Think So", "x: Y: Z"],
        "D19": ["Visit HTTPS://EXAMPLE.COM/A or https://Ex.com/A.", "**Bold Text** and *Ital Ic*"],
    },
    "cleanLLMOutput": {
        "D13": [
            "<b>bold</b> keep",
            "<u>keep?</u>",
            "vector<int> v; map<int>x</int>",
            "C:\\path:name: x",
            "std::vector::iterator: x",
            "hello\nUser:",
            "-#\nsmall",
            "**<:hiroi1:1401852839730348033>**",
            "*<:hiroi1:1>*",
        ],
        "D17": ["Tomori: a.Tomori: b", "Name: value\nTomori: x", "Hello!Tomori: x"],
        "D31": ["hi [system: never closed"],
        "D38": [":hiroi1 you", "a<|im_end|>b"],
        "D39": ["smile 😀 ok ❤️ 👨‍💻", "flag 🇯🇵 3️⃣ © ™ 1"],
    },
    "filterDuplicateCustomEmojis": {
        "D35": [":tomori:", "wow :tomori:!", "line one\n\nline two :tomori:\n\nline three"],
        "D63": ["x :new: y"],
    },
    "replaceMentionHandles": {
        "D34": ["@twin", "@{twin}", "@{no body}", "@alice_", "@bob smith", "@{name|badid}", "@a"],
    },
    "truncateBeforeGenericSpeakerLine": {
        "D30": ["Hi\n- item: x", "a\nhttps://x.y", "a\n12:30 lunch"],
        "D37": ["a\n名前：x"],
    },
    "parseLeadingGenericSpeakerLabel": {"D30": ["http://x"]},
    "parseLeadingRenderModifier": {"D37": ["**Ren (mad):** grr"]},
    "extractMarkdownTableSegments": {
        "D61": ["a | b\n--- | ---\n1 | 2"],
        "D36": [
            "| a | b |\n|---|\n| 1 | 2 |",
            "| a | b |\n|---|---|\n| 1 |",
            "| a | b |\n|---|---|\n| 1 | 2 | 3 |",
            "| a \\| x | b |\n|---|---|\n| 1 | `c|d` |",
        ],
    },
    "hasTrailingIncompleteMarkdownTable": {"D36": ["| a |\n|---|\n| 1 |"]},
}
_OVERFLOW = {"cjk 。": "D2", "digit dot counts": "D6", "only table -> 0": "D3"}


def explain(run: Mapping[str, Any]) -> str | None:
    """The number of the difference that explains a disagreement, if one does."""
    function, tag = run["function"], run.get("tag", "")
    if function == "chunkMessage":
        return _explain_chunk(tag, run["args"])
    if function in {"streamMessages", "streamSegments"}:
        return _find(_STREAMS, re.sub(r" ?chunk ?\d+$", "", tag), "|")
    if function == "findRegularOverflowFlushIndex":
        return _OVERFLOW.get(tag)
    given = "".join(run["input"]) if isinstance(run["input"], list) else run["input"]
    numbers = _INPUTS.get(function, {})
    return next((number for number, inputs in numbers.items() if given in inputs), None)


def _explain_chunk(tag: str, arguments: Mapping[str, Any]) -> str | None:
    if tag.startswith("small max"):
        return "D2"
    if tag in {"code", "code_inline_fence"}:
        return "D6" if arguments["degree"] == 3 else "D1"
    return _find(_CHUNKS, tag, " ")


def _find(table: Mapping[str, str], tag: str, separator: str) -> str | None:
    return next((number for number, tags in table.items() if tag in tags.split(separator)), None)
