"""How the web process was asked to run."""

import ipaddress
import secrets
from dataclasses import dataclass, field
from pathlib import Path

from app.host.config import HostConfig

#: a shorter token could be guessed
TOKEN_CHARS = 6


class SettingsError(ValueError):
    """A setting that cannot be used; the text says what to do."""


@dataclass(frozen=True, slots=True)
class Settings:
    """One server. `token` guards pages and REST when set; `host_token` guards `/ws/host`."""

    bind: str = "127.0.0.1"
    port: int = 8000
    token: str | None = None
    host_token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    read_only: bool = False
    host: HostConfig = field(default_factory=HostConfig)
    run_host: bool = True
    data_dir: Path | None = None

    def __post_init__(self) -> None:
        if not 0 < self.port < 65_536:
            raise SettingsError(f"--port {self.port}: a port is in 1..65535")
        if self.token is not None and len(self.token.strip()) < TOKEN_CHARS:
            raise SettingsError(
                f"--token: give {TOKEN_CHARS} characters or more, or --generate-token"
            )
        if not is_loopback(self.bind) and not self.token:
            raise SettingsError(
                f"--host {self.bind} can be reached from other machines: add --token TOKEN "
                "or --generate-token, or bind to 127.0.0.1"
            )

    @property
    def ingest_url(self) -> str:
        """Where the local pool host connects to."""
        address = self.bind if self.bind not in ("0.0.0.0", "::") else "127.0.0.1"
        return f"ws://{bracketed(address)}:{self.port}/ws/host"


def is_loopback(address: str) -> bool:
    """Whether only this machine can reach `address`."""
    if address == "localhost":
        return True
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


def bracketed(address: str) -> str:
    """An address as it stands in a URL: IPv6 in brackets."""
    return f"[{address}]" if ":" in address else address
