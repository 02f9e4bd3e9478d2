"""A wire between browser and server that counts what passes: bytes as sent, compression and all."""

import asyncio
import threading
from types import TracebackType


class Wire:
    """Forwards a port of its own to `port`, counting the bytes that come back.

    `with Wire(8501) as wire:` gives `wire.url` to open and `wire.num_bytes` to read and reset.
    """

    def __init__(self, port: int) -> None:
        self.port = port
        self.num_bytes = 0
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.url = ""

    def __enter__(self) -> "Wire":
        self._thread.start()
        self._ready.wait(10)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(asyncio.start_server(self._join, "127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        self._ready.set()
        self._loop.run_forever()

    async def _join(self, near: asyncio.StreamReader, to_near: asyncio.StreamWriter) -> None:
        far, to_far = await asyncio.open_connection("127.0.0.1", self.port)
        await asyncio.gather(
            self._pass_on(near, to_far, counted=False), self._pass_on(far, to_near, counted=True)
        )

    async def _pass_on(
        self, source: asyncio.StreamReader, target: asyncio.StreamWriter, *, counted: bool
    ) -> None:
        try:
            while piece := await source.read(2**16):
                self.num_bytes += len(piece) if counted else 0
                target.write(piece)
                await target.drain()
        except ConnectionError:
            pass
        finally:
            target.close()
