"""Questions: what is meant, and which pull requests bear on it. Pure; candidates come in as arguments."""
