"""Short messages between the processes that share one PostgreSQL database; nothing is kept.

LISTEN and NOTIFY on a connection of its own: a message reaches who listens at that moment. Who was
away has missed it, so only what is corrected by the next one may be told this way.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import structlog

from spanproof.store.database.session import CONNECT_SECONDS, to_url

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from psycopg import Notify

#: PostgreSQL refuses longer ones.
MAX_MESSAGE_BYTES = 7_999
#: How long after a connection broke the next one is tried.
_AGAIN_SECONDS = 5.0


class Notices:
    """The messages of one channel: ``run`` sends and receives until it is cancelled."""

    def __init__(self, home: Path, database_url: str, channel: str) -> None:
        """``channel`` is of a-z and '_'; every database has its own channels."""
        # SQLAlchemy's name of the driver means nothing to the driver itself.
        url = to_url(home, database_url).set(drivername="postgresql")
        self._address = url.render_as_string(hide_password=False)
        self._channel = channel

    async def run(
        self,
        collect: Callable[[], Iterable[str]],
        receive: Callable[[int, str], None],
        *,
        seconds: float,
    ) -> None:
        """Every so many seconds send what ``collect`` gives, and hand on what others sent.

        ``receive`` gets the number of the sender's connection, and the message.

        A database that does not answer is tried again; meanwhile nothing is exchanged.
        """
        import psycopg

        while True:
            try:
                await self._exchange(collect, receive, seconds)
            except psycopg.Error as error:
                structlog.get_logger().warning("notices_interrupted", error=type(error).__name__)
                await asyncio.sleep(_AGAIN_SECONDS)

    async def _exchange(
        self,
        collect: Callable[[], Iterable[str]],
        receive: Callable[[int, str], None],
        seconds: float,
    ) -> None:
        import psycopg

        connection = await psycopg.AsyncConnection.connect(
            self._address, autocommit=True, connect_timeout=CONNECT_SECONDS
        )
        async with connection:
            own = connection.info.backend_pid

            def hand_on(notice: Notify) -> None:
                if notice.pid != own:
                    receive(notice.pid, notice.payload)

            connection.add_notify_handler(hand_on)
            await connection.execute(f"LISTEN {self._channel}".encode())
            while True:
                await asyncio.sleep(seconds)
                # Any answer of the server brings what others sent.
                await connection.execute("SELECT 1")
                for message in collect():
                    await connection.execute("SELECT pg_notify(%s, %s)", (self._channel, message))
