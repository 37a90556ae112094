"""Systems drawn without end: each has something that limits, found by measuring its cures."""
