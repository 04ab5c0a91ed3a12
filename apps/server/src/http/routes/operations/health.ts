import { OPERATIONS_API } from "@muster/protocol/api/operations";
import type { App } from "../../app-type.js";

export interface HealthRoutesOptions {
  /** Refuses when an engine does not answer. */
  checkEngines(): Promise<void>;
}

/** `/healthz` says that the process runs; `/readyz` says that it can do its work. */
export function healthRoutes(app: App, { checkEngines }: HealthRoutesOptions): void {
  app.get(
    "/healthz",
    {
      config: { access: "open" },
      schema: { tags: ["operations"], summary: "Check that the process runs", ...OPERATIONS_API["GET /healthz"] },
    },
    () => ({ status: "ok" as const }),
  );

  app.get(
    "/readyz",
    {
      config: { access: "open" },
      schema: { tags: ["operations"], summary: "Check that the engines answer", ...OPERATIONS_API["GET /readyz"] },
    },
    async () => {
      await checkEngines();
      return { status: "ok" as const };
    },
  );
}
