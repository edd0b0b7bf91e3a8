"""Unicode for the commands of LaTeX: letters, signs, superscripts, subscripts and chemistry.

Only unambiguous symbols are listed. A formula with an unknown command is shown as code, which is always correct,
so the tables may stay small.
"""

from __future__ import annotations

import re


def _words(table: str) -> frozenset[str]:
    return frozenset(table.split())


def _pairs(table: str) -> dict[str, str]:
    words = table.split()
    return dict(zip(words[::2], words[1::2], strict=True))


LETTERS = _pairs("""
    alpha α beta β gamma γ delta δ epsilon ϵ varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι
    kappa κ lambda λ mu μ nu ν xi ξ omicron ο pi π varpi ϖ rho ρ varrho ϱ sigma σ varsigma ς tau τ
    upsilon υ phi ϕ varphi φ chi χ psi ψ omega ω Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ
    Upsilon Υ Phi Φ Psi Ψ Omega Ω ell ℓ hbar ℏ Re ℜ Im ℑ aleph ℵ infty ∞ partial ∂ nabla ∇ emptyset
    ∅ varnothing ∅ imath ı jmath ȷ wp ℘
""")
"""Commands for letters and for symbols that behave like one."""

SIGNS = _pairs("""
    forall ∀ exists ∃ nexists ∄ neg ¬ lnot ¬ angle ∠ triangle △ square □ blacksquare ■ top ⊤ bot ⊥
    degree ° prime ′ ldots … dots … dotsc … cdots ⋯ dotsb ⋯ vdots ⋮ ddots ⋱ therefore ∴ because ∵
    checkmark ✓ dagger † star ⋆ % % $ $ & & # # { { } } colon : lbrace { rbrace } lbrack [ rbrack ]
    | ‖ Vert ‖ lVert ‖ rVert ‖ vert | lvert | rvert | langle ⟨ rangle ⟩ lfloor ⌊ rfloor ⌋
    lceil ⌈ rceil ⌉ backslash ∖ pounds £ euro € copyright © ohm Ω angstrom Å
""")
"""Commands for symbols that are neither relations nor operators."""

RELATIONS = _pairs("""
    leq ≤ le ≤ leqslant ≤ geq ≥ ge ≥ geqslant ≥ neq ≠ ne ≠ approx ≈ equiv ≡ sim ∼ simeq ≃ cong ≅
    propto ∝ ll ≪ gg ≫ lt < gt > in ∈ notin ∉ ni ∋ subset ⊂ subseteq ⊆ supset ⊃ supseteq ⊇ subsetneq
    ⊊ perp ⊥ parallel ∥ to → rightarrow → longrightarrow → leftarrow ← gets ← Rightarrow ⇒
    Longrightarrow ⇒ implies ⇒ Leftarrow ⇐ impliedby ⇐ leftrightarrow ↔ Leftrightarrow ⇔
    Longleftrightarrow ⇔ iff ⇔ mapsto ↦ longmapsto ↦ uparrow ↑ downarrow ↓ rightleftharpoons ⇌
    models ⊨ vdash ⊢ asymp ≍ prec ≺ succ ≻ doteq ≐ triangleq ≜ coloneqq ≔ nearrow ↗ searrow ↘
    hookrightarrow ↪ mid | nmid ∤
""")
"""Commands for relations, with a space on both sides."""

BINARY = _pairs("""
    times × div ÷ cdot · pm ± mp ∓ cup ∪ cap ∩ setminus ∖ land ∧ wedge ∧ lor ∨ vee ∨ oplus ⊕ ominus
    ⊖ otimes ⊗ odot ⊙ circ ∘ bullet • ast ∗ cdotp · sqcup ⊔ sqcap ⊓
""")
"""Commands for binary operators, which may also be unary signs."""

BIG = _pairs("""
    sum ∑ prod ∏ coprod ∐ int ∫ iint ∬ iiint ∭ oint ∮ bigcup ⋃ bigcap ⋂ bigoplus ⨁ bigotimes ⨂
    bigvee ⋁ bigwedge ⋀
""")
"""Commands for large operators, with limits."""

FUNCTIONS = _words("""
    sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh coth log ln lg exp lim limsup liminf
    max min sup inf det dim ker gcd lcm deg arg argmax argmin hom Pr mod sgn rank tr
""")
"""Commands for names of functions."""

NEGATED = _pairs("= ≠ in ∉ ni ∌ equiv ≢ subset ⊄ subseteq ⊈ exists ∄ mid ∤ parallel ∦ approx ≉ sim ≁ < ≮ > ≯")
r"""Symbols after `\not`."""

BRACKETS = _words("left right big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr Biggl Biggr middle")
"""Commands that only set the size of the next bracket."""

IGNORED = _words("displaystyle textstyle scriptstyle limits nolimits nonumber notag")
"""Commands without visible output."""

SPACES = {",": " ", ";": " ", ":": " ", " ": " ", "\n": " ", "!": "", "quad": "  ", "qquad": "   ",
          "thinspace": " ", "enspace": " ", "space": " "}  # fmt: skip
"""Commands for white space."""

WORDS = _words("""
    text textrm textnormal mathrm operatorname mbox textup mathsf textsf textbf textit texttt emph mathit
    mathtt
""")
"""Commands whose group is shown as plain words."""

ACCENTS = {"hat": "\u0302", "widehat": "\u0302", "bar": "\u0304", "overline": "\u0305", "tilde": "\u0303",
           "widetilde": "\u0303", "vec": "\u20d7", "dot": "\u0307", "ddot": "\u0308", "check": "\u030c",
           "acute": "\u0301", "grave": "\u0300", "breve": "\u0306", "underline": "\u0332"}  # fmt: skip
"""Commands that put a combining mark on one letter."""

_BOARD = _pairs("C ℂ H ℍ N ℕ P ℙ Q ℚ R ℝ Z ℤ")
_SCRIPT = {
    "B": "ℬ",
    "E": "ℰ",
    "F": "ℱ",
    "H": "ℋ",
    "I": "ℐ",
    "L": "ℒ",
    "M": "ℳ",
    "R": "ℛ",
    "e": "ℯ",
    "g": "ℊ",
    "o": "ℴ",
}
_FRAKTUR = _pairs("C ℭ H ℌ I ℑ R ℜ Z ℨ")


def _alphabet(capitals: int, odd: dict[str, str], small: int = 0) -> dict[str, str]:
    """Return one of Unicode's mathematical alphabets, with its gaps filled from other blocks."""
    found = {chr(65 + index): chr(capitals + index) for index in range(26)}
    if small:
        found |= {chr(97 + index): chr(small + index) for index in range(26)}
    return found | odd


_BOLD = _alphabet(0x1D400, {chr(48 + digit): chr(0x1D7CE + digit) for digit in range(10)}, 0x1D41A)
_BOLD |= {chr(0x391 + index): chr(0x1D6A8 + index) for index in range(25) if index != 17}
_BOLD |= {chr(0x3B1 + index): chr(0x1D6C2 + index) for index in range(25)}

ALPHABETS = {
    "mathbb": _alphabet(0x1D538, _BOARD),
    "mathcal": _alphabet(0x1D49C, _SCRIPT, 0x1D4B6),
    "mathscr": _alphabet(0x1D49C, _SCRIPT, 0x1D4B6),
    "mathfrak": _alphabet(0x1D504, _FRAKTUR, 0x1D51E),
    "mathbf": _BOLD,
    "boldsymbol": _BOLD,
    "bm": _BOLD,
}
"""Commands that set the letters of their group in another alphabet."""

RAISED = dict(zip(
    "0123456789+-=()abcdefghijklmnoprstuvwxyzABDEGHIJKLMNOPRTUVWβγδθφχ∘′†",
    "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᵝᵞᵟᶿᵠᵡ°′†",
    strict=True,
))  # fmt: skip
"""Superscripts by character."""

LOWERED = dict(zip(
    "0123456789+-=()aehijklmnoprstuvxβγρφχ",
    "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ",
    strict=True,
))  # fmt: skip
"""Subscripts by character."""


# --- Chemistry ------------------------------------------------------------------------------------
# The grammar of `\ce{…}` is a part of mhchem's (https://mhchem.github.io/MathJax-mhchem/). Ambiguous input
# such as `Ca2+` is rejected, and the caller shows the source.

MAX_REACTION_CHARS = 200
"""Longer reactions are not readable in one line."""

_BETWEEN = {"+": "+", "->": "→", "<-": "←", "<->": "↔", "<=>": "⇌", "=": "="}
_SPECIES = re.compile(
    r"(?P<count>\d{1,3}(?:/\d{1,2})?|n)?(?P<body>(?:[A-Z][a-z]?|[()\[\]]|\d{1,3}|_\{?\d{1,3}\}?)+|e)"
    r"(?P<charge>\^\{?\d?[+-]\}?|[+-])?(?P<state>\((?:aq|s|l|g)\))?"
)
_NUMBER = re.compile(r"_?\{?(\d+)\}?")
_ELEMENT = re.compile(r"[A-Z][a-z]?")


def chemistry_to_unicode(source: str) -> str | None:
    """Return a reaction or a species as a line of text, or None if it is ambiguous."""
    if len(source) > MAX_REACTION_CHARS:
        return None
    words = source.split()
    shown = [_BETWEEN.get(word) or _compound_to_unicode(word) for word in words]
    ends = not words or words[0] in _BETWEEN or words[-1] in _BETWEEN
    return None if ends or None in shown else " ".join(map(str, shown))


def _compound_to_unicode(word: str) -> str | None:
    """Return species that are joined in one crystal: `CuSO4*5H2O`."""
    shown = [_species_to_unicode(part) for part in word.split("*")]
    return None if None in shown else "·".join(map(str, shown))


def _species_to_unicode(word: str) -> str | None:
    found = _SPECIES.fullmatch(word)
    if found is None:
        return None
    body, charge = found["body"], found["charge"] or ""
    if body[0].isdigit() or body[0] == "_" or body.count("(") != body.count(")"):
        return None
    if charge in ("+", "-") and body[-1].isdigit() and len(_ELEMENT.findall(body)) < 2:
        return None  # `Ca2+`: two of them, or a charge of two
    raised = "".join(RAISED[sign] for sign in charge.strip("^{}"))
    lowered = _NUMBER.sub(lambda number: "".join(LOWERED[digit] for digit in number[1]), body)
    count = found["count"] or ""
    return f"{count}{' ' if '/' in count else ''}{lowered}{raised}{found['state'] or ''}"
