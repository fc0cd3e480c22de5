"""Stage 7: tokens become events, events bytes on the socket."""

from firstlight.assembly.assemble import Assembly, Follow
from firstlight.assembly.negotiate import IDENTITY, choose

__all__ = ["IDENTITY", "Assembly", "Follow", "choose"]
