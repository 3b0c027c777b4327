"""Plain pools to measure against, written for that alone.

Each keeps its books as SGLang 0.5.23 does on a CPU, with the same data structures and so the same
growth, and nothing more: no checks, no states, no owners. They are what our pools would cost
without preallocated rings and vectorised books, and they gain what leaving out the checks gains.
"""
