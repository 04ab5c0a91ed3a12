import { Type } from "typebox";
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
        body: Type.Object({
          email: Type.Optional(
            Type.String({
              minLength: 3,
              maxLength: 254,
              description: "Whom the link signs in. Default: the member who was the first to run the server.",
            }),
          ),
          as_owner: Type.Optional(
            Type.Boolean({
              description:
                "The member becomes an owner of the organization of the request. Without it a new member runs the server.",
            }),
          ),
        }),
        response: { 201: Type.Object({ url: Type.String({ description: "It works for 15 minutes." }) }) },
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
