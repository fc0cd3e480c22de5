"""A tokeniser without a vocabulary: a token's id is its text, so that ids are the same everywhere and can be read.

A token is up to seven bytes: an ASCII word or part of one, with the space before it, or any one other character. Its id
is those bytes behind a leading 1, hence at least 256. The special ids lie below: no text can ever make one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import takewhile

BEGIN, END = 1, 2
ROLES = {"system": 3, "user": 4, "assistant": 5}

_TOKEN = re.compile(r" ?[A-Za-z0-9]{1,6}|.", re.DOTALL)


def split(text: str) -> list[str]:
    """Tokens of `text`; joined they are `text` again."""
    # finditer and not findall, which would hold the interpreter for the whole of a long text.
    return [match.group() for match in _TOKEN.finditer(text)]


def encode(text: str) -> list[int]:
    """Ids of the tokens of `text`."""
    return [int.from_bytes(b"\x01" + token.encode(), "big") for token in split(text)]


def decode(ids: Iterable[int]) -> str:
    """The text of `ids`, special ones left out."""
    return b"".join(i.to_bytes(8, "big").lstrip(b"\x00")[1:] for i in ids if i > 0xFF).decode(errors="replace")


def question(ids: list[int]) -> str:
    """The last user message in a rendered conversation; empty where there is none."""
    for start in range(len(ids) - 1, 0, -1):
        if ids[start] == ROLES["user"] and ids[start - 1] == BEGIN:
            return decode(takewhile(lambda i: i != END, ids[start + 1 :]))
    return ""
