"""The host pool asks for more memory than the machine has."""

from app.catalog.entry import ErrorEntry, Figure, Remedy, Source
from app.catalog.flags import known

ENTRY = ErrorEntry(
    code="host-memory-insufficient",
    id="bc530b74ac05863f",
    title="Not enough host memory for the host pool",
    verdict="The host pool of one rank wants more than its share of free host memory, of which "
    "10 GiB are kept back. Lower `--hicache-ratio` or `--hicache-size`: both are per rank and per "
    "pool.",
    severity="critical",
    exception="ValueError",
    message="Not enough host memory available. Requesting {requested_bytes / 1e9} GB but only "
    "have {available_bytes / 1e9} GB free. Please reduce the size of the hierarchical cache.",
    line="Not enough host memory available. Requesting {requested_gb:float} GB but only "
    "have {available_gb:float} GB free. Please reduce the size of the hierarchical cache.",
    pool="host_logical",
    phase="startup",
    reach="operator",
    figures=(
        Figure("requested_gb", "what this pool of this rank asks for", "GB"),
        Figure(
            "available_gb",
            "free on the host; older releases print it without the 10 GiB that are kept back",
            "GB",
        ),
    ),
    meaning="The size is per rank and per pool: eight ranks at 40 GB ask for 320 GB. The check "
    "knows the limit of the container, and takes memory reserved as huge pages for used.",
    trigger="A rank's request exceeds (free memory within the container's limit - 10 GiB) divided "
    "by the ranks on the host.",
    source=(
        Source(
            path="python/sglang/srt/mem_cache/pool_host/base.py",
            function="HostKVCache._allocate_host_buffer",
            line=252,
            description="Compares the request with the rank's share of free memory.",
        ),
    ),
    flags=(
        known("--hicache-size", "lower"),
        known("--hicache-ratio", "lower"),
        known("--hicache-host-memory-fraction", "lower"),
    ),
    situations=(
        "40 GB asked, 44.87 GB printed as free: 10 GiB were kept back and not subtracted in the "
        "message (sgl-project/sglang#8102).",
        "Huge pages reserved for this very pool count as used (sgl-project/sglang#34972).",
    ),
    remedies=(
        Remedy(
            text="Lower `--hicache-size` to (free - 10 GiB) / ranks on the host, less per pool "
            "where a model has several.",
            direction="lower",
            flag="--hicache-size",
            cost="fewer prefixes are kept; below the device pool it helps little",
            seen="sgl-project/sglang#8102",
        ),
        Remedy(
            text="Raise the container's memory limit, or give back reserved huge pages.",
            seen="sgl-project/sglang#34972",
        ),
    ),
    related=("host-pool-smaller-than-device", "host-transfer-size-mismatch"),
    reports=("sgl-project/sglang#8102", "sgl-project/sglang#34972"),
)
