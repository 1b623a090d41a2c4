"""Lets nobody but operators through to AdminService, and tells of every call in the log."""

import hmac
import logging
from collections.abc import Awaitable, Callable, Collection
from typing import Any

import grpc
import structlog

from dragonhall_service.api.boundary import Context, current_caller
from dragonhall_service.credentials import Caller
from dragonhall_service.usecases.refusals import Reason, Refusal

GUARDED = "/dragonhall.v1.AdminService/"
_MOST_LOGGED = 64


class Gate(grpc.aio.ServerInterceptor):
    """Stands behind the boundary, which says who calls."""

    def __init__(self, operators: Callable[[], Collection[bytes]]) -> None:
        """Take what returns the SHA-256 of the operators' tokens; it is asked in each call."""
        self._operators = operators
        # Whatever DRAGONHALL_LOG_LEVEL leaves out, these lines are kept.
        self._log = structlog.wrap_logger(
            None, wrapper_class=structlog.make_filtering_bound_logger(logging.INFO)
        )

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Any]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Any:
        """Return the method's handler, guarded."""
        handler = await continuation(handler_call_details)
        if handler is None or not handler_call_details.method.startswith(GUARDED):
            return handler
        method = handler_call_details.method.removeprefix(GUARDED)

        async def guarded(request: Any, context: Context) -> Any:
            return await self._pass(method, handler.unary_unary, request, context)

        return grpc.unary_unary_rpc_method_handler(
            guarded, handler.request_deserializer, handler.response_serializer
        )

    async def _pass(
        self,
        method: str,
        answer: Callable[[Any, Context], Awaitable[Any]],
        request: Any,
        context: Context,
    ) -> Any:
        caller, code = current_caller(), "FAILED"
        try:
            self._check(caller)
            response = await answer(request, context)
            code = "OK"
            return response
        except Refusal as refusal:
            code = refusal.reason.value
            raise
        finally:
            fields = request.ListFields()
            asked = {spec.name: " ".join(str(v).split())[:_MOST_LOGGED] for spec, v in fields}
            told = {"operator": caller.actor[:8], "address": caller.address, "asked": asked}
            self._log.warning("admin", method=method, code=code, **told)

    def _check(self, caller: Caller) -> None:
        if caller.token_hash is None:
            raise Refusal(Reason.UNAUTHENTICATED, "send an operator's token as metadata")
        known = [hmac.compare_digest(caller.token_hash, each) for each in self._operators()]
        if not any(known):
            raise Refusal(Reason.WRONG_ROLE, "this token is no operator's")
