"""What computes tokens, behind one seam: `protocol.py`."""
