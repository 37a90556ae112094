# The agent on a target host, its client, and the live view.
