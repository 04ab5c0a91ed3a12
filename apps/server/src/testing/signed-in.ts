import { createBrand } from "@muster/protocol";
import type { Role } from "@muster/protocol/api/members";
import { expect } from "vitest";
import type { TestServer } from "./test-server.js";

const { headers: names } = createBrand("Svc");

/** The password of all members that tests invite. */
export const PASSWORD = "correct horse battery staple";

/** A member who is signed in. */
export interface SignedIn {
  id: string;
  sessionId: string;
  /** The cookie, the CSRF token and the organization. */
  headers: Record<string, string>;
}

export interface InviteOptions {
  email?: string;
  /** The namespace of the organization. */
  organization?: string;
}

/** Makes somebody a member of an organization by an invitation, and signs the member in. */
export async function signInAs(server: TestServer, role: Role, options: InviteOptions = {}): Promise<SignedIn> {
  const { email = `${role}@example.com`, organization = "default" } = options;
  const url = await invite(server, role, { email, organization });
  const payload = { token: tokenOf(url), name: `The ${role}`, password: PASSWORD };
  return signedIn(await post(server, "/invitations/accept", payload), organization);
}

/** Invites somebody. Returns the link. */
export async function invite(server: TestServer, role: Role, options: InviteOptions): Promise<string> {
  const { email = "", organization = "default" } = options;
  const headers = { ...server.operatorHeaders, [names.organization]: organization };
  const answer = await post(server, "/invitations", { email, role }, headers);
  expect([answer.statusCode, answer.body]).toEqual([201, expect.any(String)]);
  return answer.json<{ url: string }>().url;
}

/** Signs a member in with a link of the operator; by default the member who runs the server. */
export async function signInByLink(server: TestServer, email?: string): Promise<SignedIn> {
  const link = await post(server, "/sign_in_links", email === undefined ? {} : { email }, server.operatorHeaders);
  const token = tokenOf(link.json<{ url: string }>().url);
  return signedIn(await post(server, "/session/link", { token }), "default");
}

/** The token in a link. */
export function tokenOf(url: string): string {
  return url.split("/").at(-1) ?? "";
}

type Answer = Awaited<ReturnType<typeof post>>;

function signedIn(answer: Answer, organization: string): SignedIn {
  expect([answer.statusCode, answer.body]).toEqual([200, expect.any(String)]);
  const { member, csrf_token, session_id } = answer.json<{
    member: { id: string };
    csrf_token: string;
    session_id: string;
  }>();
  const [cookie = ""] = String(answer.headers["set-cookie"]).split(";");
  const headers = { cookie, "x-csrf-token": csrf_token, [names.organization]: organization };
  return { id: member.id, sessionId: session_id, headers };
}

function post(server: TestServer, path: string, payload: object, headers: Record<string, string> = {}) {
  return server.app.inject({ method: "POST", url: `/api/v1${path}`, headers, payload });
}
