"""SGLang's real pool classes and ours, side by side, over the same random operations."""
