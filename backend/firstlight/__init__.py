"""First Light: a chat in the browser that answers soon, and shows where every millisecond went."""

__version__ = "0.1.0"
