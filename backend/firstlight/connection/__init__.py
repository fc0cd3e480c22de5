"""Stage 2: a socket becomes an arrival with its headers and body, within limits and deadlines."""

from firstlight.connection.arrival import Arrival, connect
from firstlight.connection.link import link_of
from firstlight.connection.send import PatientSend
from firstlight.connection.serving import Stop, bind, serve

__all__ = ["Arrival", "PatientSend", "Stop", "bind", "connect", "link_of", "serve"]
