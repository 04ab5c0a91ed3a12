import { Type } from "typebox";
import type { App } from "../../app-type.js";

export interface HealthRoutesOptions {
  /** Refuses when an engine does not answer. */
  checkEngines(): Promise<void>;
}

/** `/healthz` says that the process runs; `/readyz` says that it can do its work. */
export function healthRoutes(app: App, { checkEngines }: HealthRoutesOptions): void {
  const answer = { 200: Type.Object({ status: Type.Literal("ok") }) };

  app.get(
    "/healthz",
    {
      config: { access: "open" },
      schema: { tags: ["operations"], summary: "Check that the process runs", response: answer },
    },
    () => ({ status: "ok" as const }),
  );

  app.get(
    "/readyz",
    {
      config: { access: "open" },
      schema: { tags: ["operations"], summary: "Check that the engines answer", response: answer },
    },
    async () => {
      await checkEngines();
      return { status: "ok" as const };
    },
  );
}
