# Watching hosts and processes, and finding what belongs together.
