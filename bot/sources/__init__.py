"""Where pull requests come from."""
