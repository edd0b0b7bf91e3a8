"""Simple formulas as Unicode: Greek letters, signs, raised and lowered digits; anything else stays LaTeX."""

from __future__ import annotations

import re

__all__ = ["find_formula", "to_unicode"]

_WORDS = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "varepsilon": "ε",
    "zeta": "ζ", "eta": "η", "theta": "θ", "iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ",
    "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ", "upsilon": "υ",
    "phi": "φ", "varphi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω", "Gamma": "Γ", "Delta": "Δ",
    "Theta": "Θ", "Lambda": "Λ", "Xi": "Ξ", "Pi": "Π", "Sigma": "Σ", "Phi": "Φ", "Psi": "Ψ",
    "Omega": "Ω", "times": "×", "div": "÷", "cdot": "·", "pm": "±", "mp": "∓", "leq": "≤",
    "le": "≤", "geq": "≥", "ge": "≥", "neq": "≠", "ne": "≠", "approx": "≈", "equiv": "≡",
    "sim": "∼", "propto": "∝", "infty": "∞", "partial": "∂", "nabla": "∇", "sum": "∑", "prod": "∏",
    "int": "∫", "in": "∈", "notin": "∉", "subset": "⊂", "subseteq": "⊆", "cup": "∪", "cap": "∩",
    "emptyset": "∅", "forall": "∀", "exists": "∃", "to": "→", "rightarrow": "→", "leftarrow": "←",
    "Rightarrow": "⇒", "Leftarrow": "⇐", "leftrightarrow": "↔", "mapsto": "↦", "circ": "∘",
    "degree": "°", "ldots": "…", "dots": "…", "cdots": "⋯", "angle": "∠", "perp": "⊥",
    "parallel": "∥", "therefore": "∴", "because": "∵", "land": "∧", "lor": "∨", "neg": "¬",
    "oplus": "⊕", "hbar": "ℏ", "ell": "ℓ", "Re": "ℜ", "Im": "ℑ", "aleph": "ℵ",
}  # fmt: skip
_RAISED = dict(zip("0123456789+-=()nixyTk", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱˣʸᵀᵏ", strict=True))
_LOWERED = dict(zip("0123456789+-=()aeoxijnkmt", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₒₓᵢⱼₙₖₘₜ", strict=True))
_FORMULA = re.compile(
    r"\\\((?P<round>[^\n]{1,200}?)\\\)|\\\[(?P<square>[^\n]{1,200}?)\\\]|(?<![\w$\\])\$(?P<dollar>[^\s$](?:[^$\n]{0,198}[^\s$\\])?)\$(?![\w$])"
)
_PIECE = re.compile(
    r"\\(?P<word>[A-Za-z]+)|\\(?P<space>[,;:! ])"
    r"|(?P<shift>[\^_])(?:\{(?P<group>[^{}]{1,16})\}|(?P<one>[^\s{}\\]))"
    r"|(?P<plain>[^\\^_{}$]+)"
)
_FRACTION = re.compile(
    r"\\frac\{([^{}\\]{1,20})\}\{([^{}\\]{1,20})\}|\\sqrt\{([^{}\\]{1,20})\}|\\text\{([^{}\\]{1,60})\}"
)
_LOOKS = re.compile(r"[\\^_]")


def find_formula(text: str, start: int = 0) -> re.Match[str] | None:
    """The next formula of one line."""
    return _FORMULA.search(text, start)


def to_unicode(found: re.Match[str]) -> str | None:
    """A formula as Unicode, or nothing if it is not simple enough, or only an amount of money."""
    source = found[found.lastgroup or 0]
    if found["dollar"] is not None and not _LOOKS.search(source):
        return None
    source = _FRACTION.sub(_simplify, source)
    pieces: list[str] = []
    at = 0
    while at < len(source):
        piece = _PIECE.match(source, at)
        shown = _show(piece) if piece else None
        if piece is None or shown is None:
            return None
        pieces.append(shown)
        at = piece.end()
    return "".join(pieces).strip()


def _simplify(found: re.Match[str]) -> str:
    if found[4] is not None:
        return found[4]
    if found[3] is not None:
        return f"√{_bracketed(found[3])}"
    return f"{_bracketed(found[1])}/{_bracketed(found[2])}"


def _bracketed(text: str) -> str:
    return text if text.isalnum() else f"({text})"


def _show(piece: re.Match[str]) -> str | None:
    if piece["plain"]:
        return piece["plain"]
    if piece["space"]:
        return " "
    if piece["word"]:
        return _WORDS.get(piece["word"])
    letters = _RAISED if piece["shift"] == "^" else _LOWERED
    shifted = [letters.get(letter) for letter in piece["group"] or piece["one"]]
    return None if None in shifted else "".join(letter for letter in shifted if letter)
