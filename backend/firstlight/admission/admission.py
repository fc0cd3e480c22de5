"""The entry of stage 4: in the order of what it costs, each check before the next."""

from __future__ import annotations

import hashlib
import hmac
import math
import secrets
import time
from collections.abc import Callable

from firstlight import settings
from firstlight.admission.body import decode, decode_timing
from firstlight.admission.bucket import Buckets
from firstlight.admission.cleaning import clean
from firstlight.admission.shaping import check_shape
from firstlight.admission.timing import check_timing
from firstlight.admission.tokens import Tokens
from firstlight.errors import Forbidden, RateLimited
from firstlight.stages import Admitted, Timeline, User, now
from firstlight.wire import Marks, PageTiming, Token


class Admission:
    """Who may ask what. `clock` is monotonic, `wall` gives seconds since 1970, `random` that many bytes."""

    def __init__(
        self,
        limits: settings.Admission,
        *,
        clock: Callable[[], float] = now,
        wall: Callable[[], float] = time.time,
        random: Callable[[int], bytes] = secrets.token_bytes,
    ) -> None:
        self._clock = clock
        self._tokens = Tokens(limits.token_ttl_s, wall=wall, random=random)
        self._buckets = Buckets(limits.rate, limits.burst, limits.max_users)
        self._salt_key = random(32)

    def guest(self) -> Token:
        """A token for somebody who has none."""
        return self._tokens.guest()

    def verify(self, authorization: str | None) -> User:
        """Who sends this `Authorization` header. Raises Unauthenticated; Forbidden where the token is not for chat."""
        user = self._tokens.verify(authorization)
        if "chat" not in user.scopes:
            raise Forbidden("The token is not for chat.")
        return user

    def admit(self, authorization: str | None, body: bytes, timeline: Timeline) -> Admitted:
        """Let a request in. Raises Unauthenticated, Forbidden, RateLimited, InvalidRequest.

        Sets the marks verified, bucket, cleaned and shaped.
        """
        user = self.verify(authorization)
        timeline.mark("verified")
        self._take(user)
        timeline.mark("bucket")
        request = clean(decode(body))
        timeline.mark("cleaned")
        check_shape(request)
        timeline.mark("shaped")
        return Admitted(request, user, timeline, self._cache_salt(user))

    def timing(self, body: bytes, marks: Marks) -> PageTiming:
        """What a page saw of the reply whose server marks are `marks`. Raises InvalidRequest.

        The bucket stays as it is: only one's own replies can be timed, and they have cost what they cost.
        """
        timing = decode_timing(body)
        check_timing(timing, marks)
        return timing

    def _take(self, user: User) -> None:
        wait = self._buckets.take(user.subject, self._clock())
        if wait:
            seconds = math.ceil(wait)
            raise RateLimited(f"Too many requests: wait {seconds} s.", retry_after=seconds)

    def _cache_salt(self, user: User) -> str:
        """Keeps a user's prefixes in the engine's cache from everyone else's; lower-case hex."""
        return hmac.new(self._salt_key, user.subject.encode(), hashlib.sha256).hexdigest()
