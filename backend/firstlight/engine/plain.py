"""The tokens that a tokenizer finds as whole strings (`added_tokens`), and a copy of the tokenizer that finds none."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

_END = ""
"""The key under which a tree of characters says that a token ends here."""


class AddedTokens:
    """The added tokens that somebody could forge by typing them: all but white space and single characters."""

    def __init__(self, tokens: Mapping[int, Any]) -> None:
        """Take ids with their `tokenizers.AddedToken`."""
        self._tokens = {token.content: (i, token) for i, token in tokens.items() if _forgeable(token.content)}
        self.forgeable = frozenset(self._tokens)
        any_of_them = _any_of(self.forgeable)
        self._any = re.compile(any_of_them)
        self._starts = re.compile(f"(?={any_of_them})(.)", re.DOTALL)
        self._tails = {content[:end] for content in self.forgeable for end in range(2, len(content))}
        self._heads = {content[begin:] for content in self.forgeable for begin in range(1, len(content) - 1)}
        self._reach = max(map(len, self.forgeable), default=0)

    def split(self, text: str) -> Iterator[tuple[int, str, int | None]]:
        """Pieces of `text` with where each begins, and the id of the token behind it; None behind the last."""
        begin = 0
        for match in self._any.finditer(text):
            i, token = self._tokens[match.group()]
            piece = text[begin : match.start()]
            yield begin, piece.rstrip() if token.lstrip else piece, i
            begin = match.end()
            # A token with lstrip or rstrip swallows the white space beside it.
            while token.rstrip and begin < len(text) and text[begin].isspace():
                begin += 1
        yield begin, text[begin:], None

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


def _any_of(contents: Iterable[str]) -> str:
    """A pattern for the longest of `contents` that stands at a place, as tokenizers take it.

    A tree of shared beginnings, without groups: some models have thousands of such tokens, and trying one after the
    other at each place would take seconds, in which nothing else runs.
    """
    tree: dict[str, Any] = {}
    for content in contents:
        node = tree
        for character in content:
            node = node.setdefault(character, {})
        node[_END] = {}
    return _branches(tree) if tree else "(?!)"


def _branches(node: Mapping[str, Any]) -> str:
    longer = [re.escape(character) + _branches(child) for character, child in node.items() if character != _END]
    if not longer:
        return ""
    either = longer[0] if len(longer) == 1 and _END not in node else f"(?:{'|'.join(longer)})"
    return f"{either}?" if _END in node else either


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
