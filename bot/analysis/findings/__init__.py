"""One small detector a file: facts in, findings out. The table of them is `find.py`."""
