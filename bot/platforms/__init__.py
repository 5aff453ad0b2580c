"""The chat platforms: each receives, renders and sends in its own form."""
