import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { TLSSocket } from "node:tls";
import { Refusal, refusalBody } from "@muster/protocol";

/**
 * Answers a connection whose bytes are not valid HTTP, are too many or arrive too slowly, and ends it. Fastify never
 * sees these.
 */
export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  // More broken bytes of a client that has been answered: the time that it has to read the answer stays the same.
  if (socket.writableEnded) return;
  // Without a TLS session the client could not read an answer.
  const isUnreadable = error.code === "ECONNRESET" || isUnencrypted(socket) || !socket.writable;
  if (isUnreadable) socket.destroy();
  else endWith(socket, refusalOf(error));
}

function isUnencrypted(socket: Duplex): boolean {
  return socket instanceof TLSSocket && socket.getProtocol() === null;
}

function refusalOf({ code }: NodeJS.ErrnoException): Refusal {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return new Refusal("headers_too_large", "The request headers are larger than this server accepts.");
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new Refusal("request_timeout", "The request took too long to arrive.");
    default:
      return new Refusal("bad_request", "The request is not valid HTTP.");
  }
}

/**
 * Gives CONNECT requests and unknown expectations the usual error shape. Node would answer them without a body, or not
 * at all.
 */
export function answerUncommonRequests(server: Server): void {
  server.on("connect", (_request: IncomingMessage, socket: Duplex) => {
    endWith(socket, new Refusal("method_not_allowed", "This server is not a proxy: CONNECT is not possible."));
  });
  server.on("checkExpectation", (request, response) => {
    // An unknown expectation is ignored, which RFC 9110 allows. Node would refuse it without a body.
    server.emit("request", request, response);
  });
}

/**
 * How long a client has to read its answer. Closing at once would send a reset when there are unread bytes of the client,
 * and the client would lose the answer.
 */
const LINGER_MS = 1_000;

function endWith(socket: Duplex, refusal: Refusal): void {
  const body = JSON.stringify(refusalBody(refusal));
  const head = [
    `HTTP/1.1 ${refusal.status} ${refusal.code}`,
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
  ];
  // After CONNECT, Node no longer reads the connection and no longer handles its errors.
  socket.on("error", () => socket.destroy());
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
  socket.resume();
  // Node keeps the connection open until the client closes its side too, and a hostile client never does.
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once("close", () => clearTimeout(timer));
}
