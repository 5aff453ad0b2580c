"""What is concluded from the facts: pure functions, no I/O, no clock."""
