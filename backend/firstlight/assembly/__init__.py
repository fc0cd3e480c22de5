"""Stage 7: tokens become events, events bytes on the socket."""

from firstlight.assembly.assemble import CODINGS, Assembly, Follow
from firstlight.assembly.negotiate import IDENTITY, choose

__all__ = ["CODINGS", "IDENTITY", "Assembly", "Follow", "choose"]
