"""A message in the forms that a terminal reads."""
