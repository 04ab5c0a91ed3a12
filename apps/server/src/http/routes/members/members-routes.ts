import type { App } from "../../app-type.js";
import { auditRoutes } from "./audit.js";
import { type InvitationRoutesOptions, invitationRoutes } from "./invitations.js";
import { memberRoutes } from "./members.js";
import { ownAccountRoutes } from "./own-account.js";
import { sessionRoutes } from "./session.js";
import { signInLinkRoutes } from "./sign-in-links.js";

/** Routes about people who sign in: sessions, members, invitations and the audit log. */
export function membersRoutes(app: App, options: InvitationRoutesOptions): void {
  sessionRoutes(app, options);
  ownAccountRoutes(app, options);
  signInLinkRoutes(app, options.signIn);
  memberRoutes(app, options);
  invitationRoutes(app, options);
  auditRoutes(app, options);
}
