import { OPERATIONS_API } from "@muster/protocol/api/operations";
import type { App } from "../../app-type.js";

export interface HealthRoutesOptions {
  /** Refuses when an engine does not answer. */
  checkEngines(): Promise<void>;
}

/** `/healthz` says that the process runs; `/readyz` says that it can do its work. */
export function healthRoutes(app: App, { checkEngines }: HealthRoutesOptions): void {
  // Anybody may ask, so those who ask at the same time share one question to each engine.
  let check: Promise<void> | undefined;
  const checkOnce = () => {
    check ??= checkEngines().finally(() => {
      check = undefined;
    });
    return check;
  };

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
      await checkOnce();
      return { status: "ok" as const };
    },
  );
}
