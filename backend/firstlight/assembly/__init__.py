"""Stage 7: tokens become events, events bytes on the socket."""
