"""Long tests: `make soak`."""
