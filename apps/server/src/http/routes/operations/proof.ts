import { OPERATIONS_API } from "@muster/protocol/api/operations";
import { proofOf } from "../../../runtime/disk/server-note.js";
import type { App } from "../../app-type.js";

export interface ProofRoutesOptions {
  /** The key in `server.json` of the data directory. */
  serverKey: string;
}

/** The `muster` command asks this before it sends the admin token: a stranger on the same port has no answer. */
export function proofRoutes(app: App, { serverKey }: ProofRoutesOptions): void {
  app.get(
    "/proof",
    {
      config: { access: "open" },
      schema: {
        tags: ["operations"],
        summary: "Prove that this server runs with a data directory",
        ...OPERATIONS_API["GET /proof"],
      },
    },
    ({ query }) => ({ proof: proofOf(serverKey, query.challenge) }),
  );
}
