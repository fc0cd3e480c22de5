"""The tokens that a tokenizer finds as whole strings (`added_tokens`), and a copy of the tokenizer that finds none."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Mapping
from typing import Any


class AddedTokens:
    """The added tokens that somebody could forge by typing them: all but white space and single characters."""

    def __init__(self, tokens: Mapping[int, Any]) -> None:
        """Take ids with their `tokenizers.AddedToken`."""
        # Longest first: where one token begins like another, tokenizers take the longer.
        forgeable = sorted(
            ((token.content, i, token) for i, token in tokens.items() if _forgeable(token.content)),
            key=lambda entry: -len(entry[0]),
        )
        contents = [content for content, _, _ in forgeable]
        self.forgeable = frozenset(contents)
        self._ids = [i for _, i, _ in forgeable]
        self.pattern = _alternatives([_pattern(token) for _, _, token in forgeable])
        self._any = _alternatives([re.escape(content) for content in contents])
        self._starts = re.compile(f"(?=(?:{self._any.pattern}))(.)", re.DOTALL)
        self._tails = {content[:end] for content in contents for end in range(2, len(content))}
        self._heads = {content[begin:] for content in contents for begin in range(1, len(content) - 1)}
        self._reach = max(map(len, contents), default=0)

    def id_of(self, match: re.Match[str]) -> int:
        """The token that `pattern` found."""
        assert match.lastindex is not None
        return self._ids[match.lastindex - 1]

    def break_up(self, text: str, marker: str) -> str:
        """`text` with `marker` inside of each forgeable token, and of each part of one that a neighbour could complete.

        White space around a part counts for nothing, since templates trim. A part of one character is left alone: its
        neighbour then holds the rest, and is broken itself.
        """
        if self._any.search(text):
            text = self._starts.sub(rf"\1{marker}", text)
        end, begin = len(text.rstrip()), len(text) - len(text.lstrip())
        lengths = range(2, min(self._reach, end - begin + 1))
        if any(text[end - length : end] in self._tails for length in lengths):
            text = text[: end - 1] + marker + text[end - 1 :]
        if any(text[begin : begin + length] in self._heads for length in lengths):
            text = text[: begin + 1] + marker + text[begin + 1 :]
        return text


def plain_copy(tokenizer: Any, forgeable: frozenset[str]) -> tuple[Any, Any]:
    """Two copies of a `tokenizers.Tokenizer` that never find a token of `forgeable`: for a text's start, and after it.

    They are one and the same unless the tokenizer puts a space before the start of a text only. The tokens keep their
    ids, under names that nobody can type: other tokens' ids are counted from them, and most of them stand in the
    vocabulary as well, where merges or a lattice would find them.
    """
    made = json.loads(tokenizer.to_str())
    secret = secrets.token_hex(8)
    names = {content: f"{secret}{content}" for content in forgeable}
    for token in made["added_tokens"]:
        token["content"] = names.get(token["content"], token["content"])
    _rename(made["model"], names)
    made["post_processor"] = None
    first = type(tokenizer).from_str(json.dumps(made))
    if not _never_prepend(made["pre_tokenizer"]):
        return first, first
    return first, type(tokenizer).from_str(json.dumps(made))


def _forgeable(content: str) -> bool:
    return len(content) > 1 and not content.isspace()


def _pattern(token: Any) -> str:
    # A token with lstrip or rstrip swallows the white space beside it.
    before, after = (r"\s*" if strips else "" for strips in (token.lstrip, token.rstrip))
    return f"{before}({re.escape(token.content)}){after}"


def _alternatives(patterns: list[str]) -> re.Pattern[str]:
    return re.compile("|".join(patterns) or "(?!)")


def _rename(model: dict[str, Any], names: Mapping[str, str]) -> None:
    vocab = model["vocab"]
    if isinstance(vocab, dict):
        model["vocab"] = {names.get(piece, piece): i for piece, i in vocab.items()}
    else:
        model["vocab"] = [[names.get(piece, piece), score] for piece, score in vocab]
    if "merges" in model:
        model["merges"] = [pair for pair in model["merges"] if _merged(pair) not in names]
    if model.get("unk_token"):
        model["unk_token"] = names.get(model["unk_token"], model["unk_token"])


def _merged(pair: str | list[str]) -> str:
    return pair.replace(" ", "") if isinstance(pair, str) else "".join(pair)


def _never_prepend(pre_tokenizer: dict[str, Any] | None) -> bool:
    """Change a Metaspace that prepends at the start of a text only to one that never does; whether there is one."""
    top = pre_tokenizer or {}
    parts = [part for part in top.get("pretokenizers", [top]) if part.get("prepend_scheme") == "first"]
    for part in parts:
        part["prepend_scheme"] = "never"
    return bool(parts)
