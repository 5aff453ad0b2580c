"""What is remembered: the only SQL of the project."""
