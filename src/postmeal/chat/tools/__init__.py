"""What the library computes for an answer, one file per tool."""
