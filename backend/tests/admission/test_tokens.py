"""Tokens: ours verify, and nothing else does."""

from __future__ import annotations

import base64
import warnings

import jwt
import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import given
from hypothesis import strategies as st

from firstlight.admission.tokens import Tokens
from firstlight.errors import Unauthenticated
from firstlight.stages import User

KEY = Ed25519PrivateKey.from_private_bytes(bytes(32))
PEM = KEY.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
NOW = 1_800_000_000
GOOD = {
    "iss": "firstlight", "aud": "firstlight", "sub": "guest-1",
    "iat": NOW, "nbf": NOW, "exp": NOW + 900, "scope": "chat",
}  # fmt: skip
ALGS: list[object] = ["none", "None", "nOnE", "EdDSA", "HS256", "", None, 1, [], {}]


def tokens(at: float = NOW) -> Tokens:
    return Tokens(900, wall=lambda: at, random=bytes)


def signed(
    claims: object, *, typ: str = "at+jwt", algorithm: str = "EdDSA", key: object = KEY, **header: object
) -> str:
    payload = claims if isinstance(claims, bytes) else msgspec.json.encode(claims)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return "Bearer " + jwt.PyJWS().encode(payload, key, algorithm, headers={"typ": typ, **header})  # type: ignore[arg-type]


def part(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def refusal(authorization: str | None, at: float = NOW) -> str:
    with pytest.raises(Unauthenticated) as refused:
        tokens(at).verify(authorization)
    return refused.value.detail


def test_a_token_that_is_known_already_still_ends_and_a_changed_one_is_not_known() -> None:
    moment = float(NOW)
    issuer = Tokens(900, wall=lambda: moment, random=bytes)
    text = f"Bearer {issuer.guest().access_token}"
    assert issuer.verify(text) == issuer.verify(text)
    forged = text[:-4] + ("AAAA" if not text.endswith("AAAA") else "BBBB")
    for _ in range(2):
        with pytest.raises(Unauthenticated):
            issuer.verify(forged)
    moment += 931
    with pytest.raises(Unauthenticated, match="expired"):
        issuer.verify(text)


def test_a_guest_s_token_names_the_same_guest_until_it_ends() -> None:
    issuer = tokens()
    token = issuer.guest()
    assert (token.token_type, token.expires_in) == ("Bearer", 900)
    assert issuer.verify(f"Bearer {token.access_token}") == User(f"guest-{'00' * 16}", frozenset({"chat"}))
    assert issuer.verify(f"bearer {token.access_token}") == issuer.verify(f"BEARER {token.access_token}")


def test_every_guest_is_somebody_else() -> None:
    issuer = Tokens(900)
    users = {issuer.verify(f"Bearer {issuer.guest().access_token}").subject for _ in range(100)}
    assert len(users) == 100


def test_a_token_of_another_server_does_not_verify() -> None:
    assert refusal(f"Bearer {Tokens(900).guest().access_token}") == "The token does not verify."


@pytest.mark.parametrize("header", [None, "", "Bearer", "Bearer ", "Basic YTpi", "token x"])
def test_no_bearer_token_is_said_to_be_needed(header: str | None) -> None:
    assert refusal(header) == "An Authorization header with a bearer token is needed."


@pytest.mark.parametrize(
    ("at", "passes"), [(NOW - 31, False), (NOW - 29, True), (NOW + 929, True), (NOW + 930, False), (NOW + 1e9, False)]
)
def test_clocks_may_differ_by_half_a_minute(at: float, passes: bool) -> None:
    if passes:
        assert tokens(at).verify(signed(GOOD)) == User("guest-1")
    else:
        assert refusal(signed(GOOD), at) in {"The token has expired.", "The token is not valid yet."}


@pytest.mark.parametrize(
    "claims",
    [
        *({name: value for name, value in GOOD.items() if name != left_out} for left_out in GOOD),
        *({**GOOD, "sub": sub} for sub in ("", 1, None, "x" * 256, ["guest-1"])),
        *({**GOOD, "exp": exp} for exp in (str(NOW + 900), True, None, NOW + 900.5)),
        *({**GOOD, "aud": aud} for aud in ("other", "", ["firstlight"])),
        {**GOOD, "iss": "https://elsewhere.example"},
        {**GOOD, "scope": ["chat"]},
        [],
        "guest-1",
        b'{"exp":Infinity}',
        b"\xff",
        b"[" * 3000,
    ],
    ids=lambda claims: repr(claims)[:60],
)
def test_each_claim_must_be_there_and_of_its_type(claims: object) -> None:
    assert refusal(signed(claims)) in {"The token does not verify.", "The token was not issued for this server."}


def test_a_token_of_another_type_is_refused_though_well_signed() -> None:
    assert refusal(signed(GOOD, typ="JWT")) == "The token is not an access token."


@pytest.mark.parametrize(
    "forged",
    [
        *(f"{part(msgspec.json.encode({'alg': alg, 'typ': 'at+jwt'}))}.{part(b'{}')}." for alg in ALGS),
        signed(GOOD, algorithm="HS256", key=PEM.hex().encode()).removeprefix("Bearer "),
        signed(GOOD, algorithm="HS256", key=KEY.public_key().public_bytes_raw()).removeprefix("Bearer "),
        signed(GOOD, key=Ed25519PrivateKey.generate(), jwk={"kty": "OKP"}).removeprefix("Bearer "),
        signed(GOOD, crit=["x"], x=1).removeprefix("Bearer "),
        signed(GOOD).removeprefix("Bearer ")[:-4] + "AAAA",
        f"{part(b'[' * 5_000)}.{part(b'[' * 500)}.x",
        ".",
        "..",
        "...",
        "\xe9.\xe9.\xe9",
        "\udc80.a.b",
        "a b c",
    ],
    ids=lambda token: token[:40].encode("unicode_escape").decode(),
)  # fmt: skip
def test_a_forged_token_does_not_verify(forged: str) -> None:
    assert refusal(f"Bearer {forged}") == "The token does not verify."


@pytest.mark.parametrize("size", [8_193, 5_000_000])
def test_a_token_over_8_kib_is_refused_unread(size: int) -> None:
    assert refusal("Bearer " + "a" * size) == "The token is too long."


@given(
    st.dictionaries(
        st.sampled_from(["alg", "typ", "crit", "b64", "kid", "jku", "x5u"]),
        st.none() | st.text(st.characters(codec="utf-8")) | st.lists(st.integers()),
    )
)
def test_no_header_makes_anything_but_a_refusal(header: dict[str, object]) -> None:
    forged = f"{part(msgspec.json.encode(header))}.{part(msgspec.json.encode(GOOD))}.{part(bytes(64))}"
    assert refusal(f"Bearer {forged}") == "The token does not verify."
