"""plotly.js out of the installed package: no CDN, no copy in the repository."""

from fastapi import APIRouter
from fastapi.responses import FileResponse

from app import assets

router = APIRouter(include_in_schema=False)


@router.get("/assets/plotly.min.js")
async def plotly_js() -> FileResponse:
    """The library, cached by the browser for a day."""
    return FileResponse(
        assets.plotly_js(),
        media_type="text/javascript",
        headers={"Cache-Control": "public, max-age=86400"},
    )
