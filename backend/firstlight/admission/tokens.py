"""Bearer tokens of this server: signed and verified with one Ed25519 key that is made at start and kept in memory."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from functools import lru_cache
from typing import Annotated

import jwt
import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec import Meta

from firstlight.errors import Unauthenticated
from firstlight.stages import User
from firstlight.wire import Token

MAX_TOKEN_BYTES = 8192
"""Longer ones are refused unread: parsing megabytes would hold the event loop up."""

KNOWN_TOKENS = 1024
"""Tokens whose signature need not be verified again, the latest used: 8 MiB at most. Their times are always checked."""

_ISSUER = _AUDIENCE = "firstlight"
_ALGORITHM = "EdDSA"
_TYPE = "at+jwt"
_LEEWAY_S = 30
"""How far a clock may be off."""


class Claims(msgspec.Struct, frozen=True):
    """What a token must say, each claim by its type: PyJWT itself would take `exp` as a string and an empty `sub`."""

    iss: str
    aud: str
    sub: Annotated[str, Meta(min_length=1, max_length=255)]
    iat: int
    nbf: int
    exp: int
    scope: str


class Tokens:
    """Issues guest tokens and verifies what comes back. `wall` gives seconds since 1970, `random` that many bytes."""

    def __init__(
        self,
        ttl_s: int,
        *,
        wall: Callable[[], float] = time.time,
        random: Callable[[int], bytes] = secrets.token_bytes,
    ) -> None:
        self._ttl_s = ttl_s
        self._wall = wall
        self._random = random
        self._private = Ed25519PrivateKey.from_private_bytes(random(32))
        self._public = self._private.public_key()
        self._jws = jwt.PyJWS(algorithms=[_ALGORITHM])
        self._claims = msgspec.json.Decoder(Claims)
        self._known = lru_cache(KNOWN_TOKENS)(self._read)

    def guest(self) -> Token:
        """A token for somebody new."""
        moment = int(self._wall())
        claims = Claims(
            iss=_ISSUER,
            aud=_AUDIENCE,
            sub=f"guest-{self._random(16).hex()}",
            iat=moment,
            nbf=moment,
            exp=moment + self._ttl_s,
            scope="chat",
        )
        text = self._jws.encode(msgspec.json.encode(claims), self._private, _ALGORITHM, headers={"typ": _TYPE})
        return Token(access_token=text, token_type="Bearer", expires_in=self._ttl_s)  # noqa: S106 - a scheme's name

    def verify(self, authorization: str | None) -> User:
        """Whose token an `Authorization` header holds. Raises Unauthenticated."""
        if authorization is not None and len(authorization) > len("Bearer ") + MAX_TOKEN_BYTES:
            raise Unauthenticated("The token is too long.", limit=MAX_TOKEN_BYTES)
        scheme, _, text = (authorization or "").partition(" ")
        if scheme.lower() != "bearer" or not text:
            raise Unauthenticated("An Authorization header with a bearer token is needed.")
        claims = self._known(text)
        moment = self._wall()
        if (claims.iss, claims.aud) != (_ISSUER, _AUDIENCE):
            raise Unauthenticated("The token was not issued for this server.")
        if moment >= claims.exp + _LEEWAY_S:
            raise Unauthenticated("The token has expired.")
        if moment < claims.nbf - _LEEWAY_S:
            raise Unauthenticated("The token is not valid yet.")
        return User(claims.sub, frozenset(claims.scope.split()))

    def _read(self, text: str) -> Claims:
        try:
            signed = self._jws.decode_complete(text, self._public, algorithms=[_ALGORITHM])
            if signed["header"].get("typ") != _TYPE:
                raise Unauthenticated("The token is not an access token.")
            return self._claims.decode(signed["payload"])
        except (jwt.PyJWTError, ValueError) as error:
            raise Unauthenticated("The token does not verify.") from error
