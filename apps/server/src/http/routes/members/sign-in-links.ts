import { MEMBERS_API } from "@muster/protocol/api/members";
import type { SignIn } from "../../../members/sign-in.js";
import type { App } from "../../app-type.js";

/** Links that the operator makes for somebody to sign in with. */
export function signInLinkRoutes(app: App, signIn: SignIn): void {
  app.post(
    "/sign_in_links",
    {
      config: { access: "operator", serverWide: true },
      schema: {
        tags: ["members"],
        summary: "Make a link that signs somebody in once",
        description: "A member who does not exist yet is created.",
        ...MEMBERS_API["POST /api/v1/sign_in_links"],
      },
    },
    async ({ caller, body }, reply) => {
      const organizationId = body.as_owner ? caller.organization.id : undefined;
      const token = await signIn.createLink({ email: body.email, organizationId });
      reply.status(201);
      return { url: signIn.linkUrl(token) };
    },
  );
}
