import { Refusal } from "@muster/protocol";
import { MEMBERS_API, type Session } from "@muster/protocol/api/members";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { MemberServices } from "../../../members/open-members.js";
import type { Browser } from "../../../members/sessions.js";
import type { Organizations } from "../../../organizations/organizations.js";
import type { App } from "../../app-type.js";
import { memberOf, requireSession } from "../../auth/person.js";
import { requireOwnOrigin } from "../../auth/require-own-page.js";
import type { SessionCookie } from "../../auth/session-cookie.js";
import type { SignInLimits } from "../../auth/sign-in-limits.js";
import { sessionRecord } from "./session-record.js";

export interface SessionRoutesOptions extends MemberServices {
  organizations: Organizations;
  sessionCookie: SessionCookie;
  signInLimits: SignInLimits;
}

/** Begins to use a session that was opened: sets its cookie, and returns what `GET /session` will answer. */
export type SignMemberIn = (request: FastifyRequest, reply: FastifyReply, token: string) => Promise<Session>;

/** The browser that a session is opened for. */
export function browserOf({ headers, ip }: FastifyRequest): Browser {
  return { userAgent: headers["user-agent"] ?? "", address: ip };
}

export function signMemberIn({ sessions, sessionCookie, organizations }: SessionRoutesOptions): SignMemberIn {
  return async (request, reply, token) => {
    sessionCookie.write(request, reply, token);
    return sessionRecord(organizations, { kind: "member", token, ...(await requireSession(sessions, token)) });
  };
}

/** Signing in and out. */
export function sessionRoutes(app: App, options: SessionRoutesOptions): void {
  const { signIn, sessions, sessionCookie, signInLimits, organizations } = options;
  const start = signMemberIn(options);

  app.get(
    "/session",
    {
      config: { access: "member" },
      schema: {
        tags: ["members"],
        summary: "Who is signed in, and in which organizations",
        ...MEMBERS_API["GET /api/v1/session"],
      },
    },
    async (request, reply) => {
      const { person } = request;
      // The browser keeps the cookie for as long as the session lives from now.
      if (person.kind === "member") sessionCookie.write(request, reply, person.token);
      return sessionRecord(organizations, person);
    },
  );

  app.get(
    "/session/options",
    {
      config: { access: "open" },
      schema: {
        tags: ["members"],
        summary: "The ways to sign in",
        ...MEMBERS_API["GET /api/v1/session/options"],
      },
    },
    async () => ({ mail: signIn.canMail }),
  );

  app.post(
    "/session",
    {
      config: { access: "open" },
      schema: {
        tags: ["members"],
        summary: "Sign in with an e-mail address and a password",
        ...MEMBERS_API["POST /api/v1/session"],
      },
    },
    async (request, reply) => {
      requireOwnOrigin(request);
      const { email, password } = request.body;
      const noteRight = signInLimits.begin(request.ip, email);
      const token = await signIn.withPassword(email, password, browserOf(request));
      if (token === undefined) throw new Refusal("unauthorized", "The e-mail address or the password is not right.");
      noteRight();
      return start(request, reply, token);
    },
  );

  app.post(
    "/session/link/preview",
    {
      config: { access: "open" },
      schema: {
        tags: ["members"],
        summary: "Whom a sign-in link is for; the link can still be used after this",
        ...MEMBERS_API["POST /api/v1/session/link/preview"],
      },
    },
    async ({ body }) => {
      const { email, name } = await signIn.memberOfLink(body.token);
      return { email, name };
    },
  );

  app.post(
    "/session/link",
    {
      config: { access: "open" },
      schema: {
        tags: ["members"],
        summary: "Sign in with a link; it works once",
        ...MEMBERS_API["POST /api/v1/session/link"],
      },
    },
    async (request, reply) => {
      requireOwnOrigin(request);
      return start(request, reply, await signIn.withLink(request.body.token, browserOf(request)));
    },
  );

  app.post(
    "/session/mail",
    {
      config: { access: "open" },
      schema: {
        tags: ["members"],
        summary: "Mail a sign-in link to a member",
        description: "The answer is the same whether there is such a member or not.",
        ...MEMBERS_API["POST /api/v1/session/mail"],
      },
    },
    async (request, reply) => {
      requireOwnOrigin(request);
      const { email } = request.body;
      if (signInLimits.countMail(request.ip, email)) signIn.mailLink(email);
      reply.status(202);
      return { message: "If there is a member with this address, a link was sent to it." };
    },
  );

  app.delete(
    "/session",
    {
      config: { access: "member" },
      schema: {
        tags: ["members"],
        summary: "Sign out in this browser",
        ...MEMBERS_API["DELETE /api/v1/session"],
      },
    },
    async (request, reply) => {
      const { member, session } = memberOf(request.person);
      const isEnded = await sessions.end(member, session.id);
      sessionCookie.clear(request, reply);
      return { ended: Number(isEnded) };
    },
  );
}
