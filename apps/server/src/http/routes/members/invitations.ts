import { type Brand, Refusal } from "@muster/protocol";
import { MEMBERS_API } from "@muster/protocol/api/members";
import type { Invitation } from "../../../domain/members/member.js";
import { signInFirst } from "../../../members/invitations.js";
import type { App } from "../../app-type.js";
import { requireOwnOrigin, requireOwnPage } from "../../auth/require-own-page.js";
import { pageOfAll } from "../pagination.js";
import { browserOf, type SessionRoutesOptions, signMemberIn } from "./session.js";

export interface InvitationRoutesOptions extends SessionRoutesOptions {
  brand: Brand;
}

/** Inviting people, and accepting an invitation. */
export function invitationRoutes(app: App, options: InvitationRoutesOptions): void {
  const { invitations, signIn, sessions, signInLimits, sessionCookie, brand } = options;
  const start = signMemberIn(options);

  app.get(
    "/invitations",
    {
      config: { access: "operator" },
      schema: {
        tags: ["members"],
        summary: "The invitations that can still be accepted",
        ...MEMBERS_API["GET /api/v1/invitations"],
      },
    },
    async (request, reply) => {
      const all = await invitations.list(request.caller.organization.id);
      return pageOfAll(request, reply, brand, request.query, all).map(invitationRecord);
    },
  );

  app.post(
    "/invitations",
    {
      config: { access: "operator" },
      schema: {
        tags: ["members"],
        summary: "Invite somebody to the organization",
        description: "The answer has the link to hand over. It is mailed too when the server can send mail.",
        ...MEMBERS_API["POST /api/v1/invitations"],
      },
    },
    async (request, reply) => {
      const { caller, body } = request;
      const invitedBy = caller.kind === "member" ? caller.member.name : "The operator";
      const { invitation, url } = await invitations.create(caller.organization, { ...body, invitedBy });
      request.audited = {
        objectType: "invitation",
        objectId: invitation.id,
        label: invitation.email,
        after: { role: invitation.role },
      };
      reply.status(201);
      return { ...invitationRecord(invitation), url, mailed: signIn.canMail };
    },
  );

  app.delete(
    "/invitations/:id",
    {
      config: { access: "operator" },
      schema: {
        tags: ["members"],
        summary: "Withdraw an invitation",
        ...MEMBERS_API["DELETE /api/v1/invitations/{id}"],
      },
    },
    async (request) => {
      const { caller, params } = request;
      const removed = await invitations.remove(caller.organization.id, params.id);
      if (!removed) throw new Refusal("not_found", `There is no invitation "${params.id.slice(0, 100)}".`);
      request.audited = { objectType: "invitation", label: removed.email, before: { role: removed.role } };
      return { id: params.id, deleted: true as const };
    },
  );

  app.post(
    "/invitations/preview",
    {
      config: { access: "open" },
      schema: {
        tags: ["members"],
        summary: "What an invitation is for",
        ...MEMBERS_API["POST /api/v1/invitations/preview"],
      },
    },
    async ({ body }) => {
      const { invitation, organization, holder } = await invitations.find(body.token);
      return {
        email: invitation.email,
        role: invitation.role,
        organization: organization.name,
        invited_by: invitation.invitedBy,
        is_member: holder !== undefined,
      };
    },
  );

  app.post(
    "/invitations/accept",
    {
      config: { access: "open" },
      schema: {
        tags: ["members"],
        summary: "Accept an invitation and sign in",
        description:
          "A new member chooses a name and a password. A member who has the address already sends the own password, or is signed in. An address that a member has proved can be used by this member alone.",
        ...MEMBERS_API["POST /api/v1/invitations/accept"],
      },
    },
    async (request, reply) => {
      requireOwnOrigin(request);
      const { token, name, password } = request.body;
      const open = await invitations.find(token);
      const sessionToken = sessionCookie.read(request);
      const session = sessionToken === undefined ? undefined : await sessions.find(sessionToken);
      const browser = browserOf(request);
      const known = open.holder ? [open.holder] : open.claimants;
      if (sessionToken !== undefined && session && known.some(({ id }) => id === session.member.id)) {
        requireOwnPage(request, sessionToken);
        return start(request, reply, await invitations.acceptAs(open, sessions.recognize(session), browser));
      }
      const { email } = open.invitation;
      if (password !== undefined && known.length > 0) {
        const noteRight = signInLimits.begin(request.ip, email);
        const member = await signIn.recognize(email, password);
        if (member) {
          noteRight();
          return start(request, reply, await invitations.acceptAs(open, member, browser));
        }
      }
      if (open.holder) throw signInFirst(email);
      if (name === undefined || password === undefined) {
        throw new Refusal("missing_parameters", "Choose a name and a password.");
      }
      return start(request, reply, await invitations.acceptAsNew(open, { name, password }, browser));
    },
  );
}

function invitationRecord({ id, email, role, invitedBy, createdAt, expiresAt }: Invitation) {
  return {
    id,
    email,
    role,
    invited_by: invitedBy,
    created_at: createdAt.toISOString(),
    expires_at: expiresAt.toISOString(),
  };
}
