import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { Refusal, refusalBody } from "@muster/protocol";

/** Answers a connection whose bytes are not valid HTTP, are too many or arrive too slowly. Fastify never sees these. */
export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === "ECONNRESET" || !socket.writable) return;
  endWith(socket, refusalOf(error));
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

function endWith(socket: Duplex, refusal: Refusal): void {
  const body = JSON.stringify(refusalBody(refusal));
  const head = [
    `HTTP/1.1 ${refusal.status} ${refusal.code}`,
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}
