"""The digest: pure figures, six sections, every figure checked."""
