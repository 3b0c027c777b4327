"""Qwen-Bailian's usage traces: Mooncake's keys with chats, seconds and blocks of 16 tokens.

One object a line: `chat_id`, `parent_chat_id` (-1 for the first turn), `timestamp` (seconds from
the trace's start), `input_length`, `output_length`, `type`, `turn`, `hash_ids`. Every row holds its
whole context already, so turns are requests like any other.
"""

from app.traces.format import Format
from app.traces.formats.mooncake import FIELDS, rows
from app.traces.json_rows import has_keys

FORMAT = Format(
    name="bailian",
    accepts="Qwen-Bailian JSON Lines: the same with chat_id, parent_chat_id and seconds",
    time_unit="s",
    block_size=16,
    sniff=lambda head: has_keys(head, (*FIELDS, "parent_chat_id")),
    rows=rows,
    unit_varies=True,
    tried=False,
)
