import { Type } from "typebox";
import type { CallPermit } from "../../../deliveries/sending/call-permit.js";
import type { App } from "../../app-type.js";

/** Ends the pause after a restore, in which no connector is called. */
export function resumeDeliveriesRoutes(app: App, permit: CallPermit): void {
  app.post(
    "/deliveries/resume",
    {
      config: { access: "operator", serverWide: true },
      schema: {
        tags: ["operations"],
        summary: "Let the connectors of all organizations be called after a restore",
        response: {
          200: Type.Object({ resumed: Type.Boolean({ description: "False when they were called before." }) }),
        },
      },
    },
    async () => ({ resumed: await permit.release() }),
  );
}
