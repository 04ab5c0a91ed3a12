import { parseCookie, stringifySetCookie } from "cookie";
import type { FastifyReply, FastifyRequest } from "fastify";
import { SESSION_LIFETIME_MS } from "../../members/sessions.js";
import { isSecure } from "./is-secure.js";

/** Whether the cookie counts on a route: the gateway and pages are for other callers. */
export function takesSession(path: string): boolean {
  return path.startsWith("/api/");
}

/** The cookie that holds the token of a session. Scripts cannot read it, and other websites cannot make browsers send it. */
export class SessionCookie {
  readonly #publicUrl: string;

  constructor(publicUrl: string) {
    this.#publicUrl = publicUrl;
  }

  read(request: FastifyRequest): string | undefined {
    const { cookie } = request.headers;
    return cookie === undefined ? undefined : parseCookie(cookie)[this.#nameFor(request)];
  }

  write(request: FastifyRequest, reply: FastifyReply, token: string): void {
    this.#set(request, reply, token, SESSION_LIFETIME_MS / 1_000);
  }

  clear(request: FastifyRequest, reply: FastifyReply): void {
    this.#set(request, reply, "", 0);
  }

  #set(request: FastifyRequest, reply: FastifyReply, value: string, maxAge: number): void {
    const cookie = stringifySetCookie({
      name: this.#nameFor(request),
      value,
      path: "/",
      httpOnly: true,
      sameSite: "strict",
      secure: isSecure(request, this.#publicUrl),
      maxAge,
    });
    reply.header("set-cookie", cookie);
    reply.header("cache-control", "no-store");
  }

  /** With the prefix, a browser takes the cookie from this very host alone, and not from a neighbour under its domain. */
  #nameFor(request: FastifyRequest): string {
    return isSecure(request, this.#publicUrl) ? "__Host-muster_session" : "muster_session";
  }
}
