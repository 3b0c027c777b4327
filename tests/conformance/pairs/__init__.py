"""One file per pair of pools; each ends with `PAIR = Pair(...)`, and nothing else is edited."""
