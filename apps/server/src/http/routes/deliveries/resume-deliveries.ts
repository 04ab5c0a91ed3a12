import { DELIVERIES_API } from "@muster/protocol/api/deliveries";
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
        ...DELIVERIES_API["POST /api/v1/deliveries/resume"],
      },
    },
    async () => ({ resumed: await permit.release() }),
  );
}
