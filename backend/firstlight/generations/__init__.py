"""Replies under way and kept for replay: the pump that owns each, its token log, the registry."""
