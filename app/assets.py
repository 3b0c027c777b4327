"""Where templates, static files and plotly.js are: inside the wheel, or beside a checkout."""

import functools
import hashlib
from importlib import resources
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent


def static_dir() -> Path:
    """The folder of static files.

    Raises:
        FileNotFoundError: neither in the wheel nor beside the package.
    """
    return _find("static", "app.css")


def templates_dir() -> Path:
    """The folder of templates.

    Raises:
        FileNotFoundError: neither in the wheel nor beside the package.
    """
    return _find("templates", "base.html")


def plotly_js() -> Path:
    """plotly.min.js inside the installed plotly package, so that no page needs a network.

    Raises:
        FileNotFoundError: the installed plotly carries none.
    """
    path = Path(str(resources.files("plotly"))) / "package_data" / "plotly.min.js"
    if not path.is_file():
        raise FileNotFoundError(f"{path} is missing; reinstall plotly")
    return path


@functools.cache
def asset_version() -> str:
    """12 hex digits that change when any static file does: part of every asset's address."""
    root = static_dir()
    digest = hashlib.sha256()
    for path in sorted(path for path in root.rglob("*") if path.is_file()):
        # The name and the length keep two trees with the same bytes apart.
        content = path.read_bytes()
        digest.update(f"{path.relative_to(root).as_posix()}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()[:12]


def _find(name: str, landmark: str) -> Path:
    # The wheel's own folder first: beside an installed package another `static` may lie.
    for folder in (PACKAGE / name, PACKAGE.parent / name):
        if (folder / landmark).is_file():
            return folder
    raise FileNotFoundError(
        f"{name}/ is neither inside {PACKAGE} nor beside it; reinstall poolscope"
    )
