"""The chat page on this machine."""
