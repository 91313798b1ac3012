"""Contrast of colours, and the colours of a picture, as WCAG 2 measures them."""

import re


def luminance(colour):
    """Relative luminance of #rrggbb, by the definition of WCAG 2."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(one, other):
    """Contrast ratio of two colours, from 1 to 21."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def colours_of(style, scheme):
    """The colour of each class in a picture's style, by its name; ``scheme`` is light or dark."""
    light, dark = style.split("@media (prefers-color-scheme: dark)")
    colours = dict(re.findall(r"^\s+\.?(\w+) \{.*?(#[0-9a-f]{6})", light, re.MULTILINE))
    if scheme == "dark":
        changed = dict(re.findall(r"^\s+\.?(\w+) \{.*?(#[0-9a-f]{6})", dark, re.MULTILINE))
        assert changed.keys() == colours.keys()
        return changed
    return colours
