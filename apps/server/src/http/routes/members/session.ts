import { Refusal } from "@muster/protocol";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import type { Member } from "../../../domain/members/member.js";
import type { MemberServices } from "../../../members/open-members.js";
import type { Organizations } from "../../../organizations/organizations.js";
import type { App } from "../../app-type.js";
import { memberOf, requireSession } from "../../auth/person.js";
import { requireOwnOrigin } from "../../auth/require-own-page.js";
import type { SessionCookie } from "../../auth/session-cookie.js";
import type { SignInLimits } from "../../auth/sign-in-limits.js";
import { SessionRecord, sessionRecord } from "./session-record.js";

export interface SessionRoutesOptions extends MemberServices {
  organizations: Organizations;
  sessionCookie: SessionCookie;
  signInLimits: SignInLimits;
}

type SessionAnswer = Awaited<ReturnType<typeof sessionRecord>>;

/** Signs a member in: opens a session, sets its cookie, and returns what `GET /session` will answer. */
export type SignMemberIn = (request: FastifyRequest, reply: FastifyReply, member: Member) => Promise<SessionAnswer>;

const Email = Type.String({ minLength: 3, maxLength: 254 });
const Password = Type.String({ minLength: 1, maxLength: 1_000 });
const Token = Type.String({ minLength: 1, maxLength: 200, description: "The last part of the link." });

export function signMemberIn({ sessions, sessionCookie, organizations }: SessionRoutesOptions): SignMemberIn {
  return async (request, reply, member) => {
    const browser = { userAgent: request.headers["user-agent"] ?? "", address: request.ip };
    const token = await sessions.open(member.id, browser);
    sessionCookie.write(request, reply, token);
    return sessionRecord(organizations, { kind: "member", token, ...(await requireSession(sessions, token)) });
  };
}

/** Signing in and out. */
export function sessionRoutes(app: App, options: SessionRoutesOptions): void {
  const { signIn, sessions, sessionCookie, signInLimits, organizations } = options;
  const start = signMemberIn(options);
  const answer = { response: { 200: SessionRecord } };

  app.get(
    "/session",
    {
      config: { access: "member" },
      schema: { tags: ["members"], summary: "Who is signed in, and in which organizations", ...answer },
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
        response: { 200: Type.Object({ mail: Type.Boolean({ description: "Whether links can be mailed." }) }) },
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
        body: Type.Object({ email: Email, password: Password }),
        ...answer,
      },
    },
    async (request, reply) => {
      requireOwnOrigin(request);
      const { email, password } = request.body;
      const noteRight = signInLimits.begin(request.ip, email);
      const member = await signIn.withPassword(email, password);
      if (!member) throw new Refusal("unauthorized", "The e-mail address or the password is not right.");
      noteRight();
      return start(request, reply, member);
    },
  );

  app.post(
    "/session/link/preview",
    {
      config: { access: "open" },
      schema: {
        tags: ["members"],
        summary: "Whom a sign-in link is for; the link can still be used after this",
        body: Type.Object({ token: Token }),
        response: { 200: Type.Object({ email: Type.String(), name: Type.String() }) },
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
        body: Type.Object({ token: Token }),
        ...answer,
      },
    },
    async (request, reply) => {
      requireOwnOrigin(request);
      return start(request, reply, await signIn.withLink(request.body.token));
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
        body: Type.Object({ email: Email }),
        response: { 202: Type.Object({ message: Type.String() }) },
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
        response: { 200: Type.Object({ ended: Type.Integer() }) },
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
