import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { RunningServer } from "../lib/start-server.js";

const GIVE_UP_MS = 10_000;
// 2,000 a second: the shape is about connections that are held, and not about how fast they come.
const OPENED_AT_ONCE = 20;

export interface HeldSockets {
  bytes: number;
  /** How many of the connections the server has ended. */
  ended: number;
}

/** Opens connections that send bytes, read what they are answered, and never close their side. */
export async function holdSockets(
  { url }: RunningServer,
  { count, bytes }: { count: number; bytes: string },
): Promise<HeldSockets> {
  const { hostname, port } = new URL(url);
  const sockets: Socket[] = [];
  let ended = 0;
  const end = () => {
    ended += 1;
  };
  while (sockets.length < count) {
    const opened = Array.from({ length: Math.min(OPENED_AT_ONCE, count - sockets.length) }, () => {
      const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
      // A reset ends a connection too.
      socket.on("error", () => {});
      socket.once("close", end);
      socket.resume();
      socket.write(bytes);
      return socket;
    });
    sockets.push(...opened);
    await sleep(10);
  }
  // The client learns that the server has let go when it sends more and is reset.
  for (const since = performance.now(); ended < count && performance.now() - since < GIVE_UP_MS; await sleep(500)) {
    for (const socket of sockets) if (!socket.destroyed) socket.write("x");
  }
  const endedByServer = ended;
  for (const socket of sockets) socket.destroy();
  return { bytes: count * Buffer.byteLength(bytes), ended: endedByServer };
}
