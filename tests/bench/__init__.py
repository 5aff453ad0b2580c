"""The speed that is promised, measured as ratios within one run."""
