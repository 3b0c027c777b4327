"""The catalog's advice, run on request: reproduce an error, try a remedy. In the lab's process."""

from typing import Annotated, Any

from fastapi import APIRouter, Body, Depends, Request

from app.catalog.entry import STATUSES
from app.catalog.proofs import causes_of
from app.hub.hub import CommandRefused, HostUnavailable
from app.lab_process import LabProcess
from app.routes.errors import known_error
from app.routes.problem import PROBLEM_RESPONSE, ProblemError
from app.routes.proof_models import ReproduceIn, ReproduceOut, TryIn, TryOut

router = APIRouter(prefix="/api/errors", tags=["errors"])


def lab_of(request: Request) -> LabProcess:
    """The lab of this server."""
    lab: LabProcess = request.app.state.lab
    return lab


LabDep = Annotated[LabProcess, Depends(lab_of)]
RESPONSES: dict[int | str, dict[str, Any]] = {404: PROBLEM_RESPONSE, 503: PROBLEM_RESPONSE}


@router.post("/{code}/reproduce", operation_id="reproduceError", responses=RESPONSES)
async def reproduce_error(
    code: str, lab: LabDep, body: Annotated[ReproduceIn | None, Body()] = None
) -> ReproduceOut:
    """Run a cause of this error on a small server in the lab; nothing that is watched changes."""
    asked = body or ReproduceIn()
    result = await _ask(lab, "reproduce", code, {"cause": asked.cause})
    return ReproduceOut.model_validate(result)


@router.post("/{code}/try", operation_id="tryRemedy", responses=RESPONSES)
async def try_remedy(code: str, body: TryIn, lab: LabDep) -> TryOut:
    """Run a cause, then the same offered requests with a remedy taken; the outcome is computed."""
    result = await _ask(lab, "try", code, {"cause": body.cause, "remedy": body.remedy})
    return TryOut.model_validate({**result, "meaning": STATUSES[result["status"]]})


async def _ask(lab: LabProcess, command: str, code: str, args: dict[str, Any]) -> dict[str, Any]:
    entry = known_error(code)
    causes = causes_of(entry.code)
    if not causes:
        raise ProblemError(
            404,
            "Cannot be reproduced",
            f"{entry.code} has no cause that Poolscope can reproduce; its page says what is known",
        )
    if args["cause"] is not None and args["cause"] not in {one.name for one in causes}:
        names = ", ".join(one.name for one in causes)
        raise ProblemError(404, "Unknown cause", f"{args['cause']!r} is none of {names}")
    try:
        return await lab.ask(command, {"code": entry.code, **args})
    except HostUnavailable as error:
        raise ProblemError(503, "Lab not available", str(error)) from error
    except CommandRefused as error:
        raise ProblemError(422, error.problem.get("title", "Refused"), str(error)) from error
