"""Poolscope's program: traces, engine, pool host, hub, catalog and pages."""

__version__ = "0.1.0"
