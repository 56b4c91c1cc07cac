"""Text that nobody would write, the same on every run, for tests that only ask that nothing breaks."""

from __future__ import annotations

import random

_PIECES = [
    *"""a B é 中 Ω . ! ? , ; : ' " “ ” ( ) [ ] { } | - – * # ` ``` ~~~ 1 2020 1,000 12.5 % $ € km and which who It
    He the The Paris was is of January about million one half no not https:// @ No. Dr. U.S. e.g. 10:30 |--| / °C x
    ½ ² ٣ １ ① Q3 2nd -5 from to between""".split(),
    *(" ", "  ", "\n", "\n\n", "\t", "\r\n", "\0", "\ud800", "\u2028", "\u00a0", "\\"),
]


def random_texts(number: int, seed: int) -> list[str]:
    """Strings of up to sixty odd pieces."""
    source = random.Random(seed)
    made = []
    for _ in range(number):
        between = source.choice(("", " "))
        made.append(between.join(source.choice(_PIECES) for _ in range(source.randint(0, 60))))
    return made
