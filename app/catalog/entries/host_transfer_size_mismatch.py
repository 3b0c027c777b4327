"""Host and device sides of a copy have different counts."""

from app.catalog.entry import ErrorEntry, Figure, Remedy, Source

ENTRY = ErrorEntry(
    code="host-transfer-size-mismatch",
    id="11c7cf8ffa65609b",
    title="Host and device counts differ in a copy",
    verdict="A copy between host and device was given different numbers of slots on its two sides: "
    "what rounding up the host request alone leads to. Size both from one aligned range.",
    severity="error",
    exception="ValueError",
    message="{self.pool_name} transfer index size mismatch: host={host_indices.numel()}, "
    "device={device_indices.numel()}",
    line="{pool_name:word} transfer index size mismatch: host={host_indices}, "
    "device={device_indices}",
    pool="host_kv",
    reach="developer",
    figures=(
        Figure("pool_name", "the host pool that was to copy"),
        Figure("host_indices", "slots on the host side", "slots"),
        Figure("device_indices", "slots on the device side", "slots"),
    ),
    meaning="Each host slot takes the KV of one device slot. With unequal counts some would be "
    "copied from or to nowhere.",
    trigger="The two index lists of a transfer differ in length.",
    source=(
        Source(
            path="python/sglang/srt/mem_cache/memory_pool_host.py",
            function="DeepSeekV4PagedHostPool._has_transfer_indices",
            line=445,
            description="Compares the two counts before a copy.",
        ),
    ),
    remedies=(
        Remedy(
            key="align-first",
            text="Align the token range first, then take the same number on both sides.",
            status="proved",
        ),
    ),
    proven=True,
    related=("logical-host-alloc-unaligned", "host-unsupported-layout"),
)
