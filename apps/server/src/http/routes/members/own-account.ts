import { type Brand, Refusal } from "@muster/protocol";
import { type BrowserSession, MEMBERS_API } from "@muster/protocol/api/members";
import type { Session } from "../../../domain/members/member.js";
import type { MemberServices } from "../../../members/open-members.js";
import type { Organizations } from "../../../organizations/organizations.js";
import type { App } from "../../app-type.js";
import { memberOf } from "../../auth/person.js";
import type { SessionCookie } from "../../auth/session-cookie.js";
import type { SignInLimits } from "../../auth/sign-in-limits.js";
import { pageOfAll } from "../pagination.js";
import { sessionRecord } from "./session-record.js";

export interface OwnAccountRoutesOptions extends MemberServices {
  organizations: Organizations;
  sessionCookie: SessionCookie;
  signInLimits: SignInLimits;
  brand: Brand;
}

/** What members see and change about themselves: the name, the password, and the browsers they are signed in with. */
export function ownAccountRoutes(app: App, options: OwnAccountRoutesOptions): void {
  const { members, sessions, organizations, sessionCookie, signInLimits, brand } = options;

  app.put(
    "/session/me",
    {
      config: { access: "member" },
      schema: {
        tags: ["members"],
        summary: "Change your name, address or password",
        description: "A new password ends all your other sessions.",
        ...MEMBERS_API["PUT /api/v1/session/me"],
      },
    },
    async ({ person, body, ip }) => {
      const own = memberOf(person);
      const { current_password: currentPassword, ...changes } = body;
      const { email } = own.member;
      const noteRight = currentPassword === undefined ? undefined : signInLimits.begin(ip, email);
      try {
        const member = await members.changeSelf(own.member, own.session.id, { ...changes, currentPassword });
        noteRight?.();
        return await sessionRecord(organizations, { ...own, member });
      } catch (error) {
        // Another refusal comes after the password was found right.
        if (error instanceof Refusal && error.code !== "forbidden") noteRight?.();
        throw error;
      }
    },
  );

  app.get(
    "/sessions",
    {
      config: { access: "member" },
      schema: {
        tags: ["members"],
        summary: "The browsers in which you are signed in, the one that was used last first",
        ...MEMBERS_API["GET /api/v1/sessions"],
      },
    },
    async (request, reply) => {
      const { member, session } = memberOf(request.person);
      const all = await sessions.list(member);
      return pageOfAll(request, reply, brand, request.query, all).map((one) => browserRecord(one, session.id));
    },
  );

  app.delete(
    "/sessions/:id",
    {
      config: { access: "member" },
      schema: {
        tags: ["members"],
        summary: "Sign out in one browser",
        ...MEMBERS_API["DELETE /api/v1/sessions/{id}"],
      },
    },
    async ({ person, params }) => {
      if (!(await sessions.end(memberOf(person).member, params.id))) {
        throw new Refusal("not_found", `There is no session "${params.id.slice(0, 100)}".`);
      }
      return { ended: 1 };
    },
  );

  app.delete(
    "/sessions",
    {
      config: { access: "member" },
      schema: {
        tags: ["members"],
        summary: "Sign out everywhere, also in this browser",
        ...MEMBERS_API["DELETE /api/v1/sessions"],
      },
    },
    async (request, reply) => {
      const ended = await sessions.endAll(memberOf(request.person).member);
      sessionCookie.clear(request, reply);
      return { ended };
    },
  );
}

function browserRecord(
  { id, userAgent, address, createdAt, lastSeenAt, expiresAt }: Session,
  currentId: string,
): BrowserSession {
  return {
    id,
    user_agent: userAgent,
    address,
    created_at: createdAt.toISOString(),
    last_seen_at: lastSeenAt.toISOString(),
    expires_at: expiresAt.toISOString(),
    current: id === currentId,
  };
}
