import http from "node:http";
import https from "node:https";
import { syncBuiltinESMExports } from "node:module";
import { Socket } from "node:net";
import { workerData } from "node:worker_threads";
import { enterThread } from "../thread/enter-thread.js";

// The thread of a destination in tests. Every request goes to the recorder of the test, whatever its address is, and no other
// connection is made.

type Callback = (response: http.IncomingMessage) => void;

const { recorderPort } = workerData as { recorderPort: number };
const plainRequest = http.request;

/** The forms of `request`: an address, options, or both, and a callback. */
function readRequest(given: unknown[]): { options: http.RequestOptions; callback: Callback | undefined } {
  const [first, second] = given;
  const callback = given.find((argument) => typeof argument === "function") as Callback | undefined;
  const address = typeof first === "string" || first instanceof URL ? new URL(first) : undefined;
  const more = address ? second : first;
  const fromAddress = address ? { hostname: address.hostname, path: `${address.pathname}${address.search}` } : {};
  return { options: { ...fromAddress, ...(typeof more === "object" ? more : {}) }, callback };
}

function recording(scheme: string) {
  return (...given: unknown[]): http.ClientRequest => {
    const { options, callback } = readRequest(given);
    const host = options.hostname ?? options.host ?? "localhost";
    const { agent: _agent, protocol: _protocol, host: _host, ...others } = options;
    const request = plainRequest({ ...others, hostname: "127.0.0.1", port: recorderPort }, callback ?? (() => {}));
    request.setHeader("x-recorded-origin", `${scheme}//${host}`);
    return request;
  };
}

for (const [module, scheme] of [
  [http, "http:"],
  [https, "https:"],
] as const) {
  const request = recording(scheme);
  Object.assign(module, { request, get: (...given: unknown[]) => request(...given).end() });
}
syncBuiltinESMExports();

const connect = Socket.prototype.connect as (...given: unknown[]) => Socket;
Socket.prototype.connect = function (this: Socket, ...given: unknown[]) {
  const [first] = given.flat() as { port?: unknown }[];
  if (Number(first?.port) === recorderPort) return connect.apply(this, given);
  process.nextTick(() => this.destroy(new Error("ECONNREFUSED: tests connect to the recorder alone.")));
  return this;
} as typeof Socket.prototype.connect;

enterThread();
