"""The root and the six sections of a digest, one a file: a view in, blocks out."""
