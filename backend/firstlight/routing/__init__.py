"""Stage 3: the handlers, and every answer that is no stream."""

from firstlight.routing.chat import chat_route
from firstlight.routing.generations import generation_routes
from firstlight.routing.headers import complete
from firstlight.routing.health import health_routes
from firstlight.routing.hosts import only_for
from firstlight.routing.problems import handlers
from firstlight.routing.service import Service
from firstlight.routing.static import BUILT, load, page_route
from firstlight.routing.tokens import guest_route

__all__ = [
    "BUILT",
    "Service",
    "chat_route",
    "complete",
    "generation_routes",
    "guest_route",
    "handlers",
    "health_routes",
    "load",
    "only_for",
    "page_route",
]
