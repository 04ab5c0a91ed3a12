import type { Organization } from "@muster/protocol/api/organizations";
import type { Command } from "commander";
import { type CommandContext, connect } from "../command-context.js";
import type { DocumentedCommand } from "../documentation/documented-command.js";

interface SignInFlags {
  email?: string;
  owner?: boolean;
}

export function addSignIn(program: DocumentedCommand, context: CommandContext): void {
  program
    .command("sign-in")
    .description(
      "print a link that signs you in to the dashboard, and to the organization of --org; it works once, for 15 minutes",
    )
    .option("--email <email>", "member to sign in (default: the first operator)")
    .option("--owner", "make that member an owner of the organization of --org instead of an operator")
    .example("muster sign-in")
    .example("muster sign-in --email ada@example.com --owner --org acme")
    .action(async ({ email, owner }: SignInFlags, command: Command) => {
      const { api, options, show } = await connect(context, command);
      const body = { ...(email === undefined ? {} : { email }), ...(owner ? { as_owner: true } : {}) };
      const { url: link } = await api.post<{ url: string }>("/sign_in_links", body);
      const url = options.org === undefined ? link : `${link}?to=/o/${(await api.get<Organization>("/org")).id}`;
      show({ url }, () => url);
    });
}
