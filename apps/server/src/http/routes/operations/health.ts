import { Refusal } from "@muster/protocol";
import { Type } from "typebox";
import type { Queryable } from "../../../storage/postgres/database.js";
import type { Questions } from "../../../storage/questions/questions.js";
import type { App } from "../../app-type.js";

export interface HealthRoutesOptions {
  database: Queryable;
  questions: Pick<Questions, "ping">;
}

/** `/healthz` says the process lives; `/readyz` says it can do its work. */
export function healthRoutes(app: App, { database, questions }: HealthRoutesOptions): void {
  const answer = { 200: Type.Object({ status: Type.Literal("ok") }) };

  app.get(
    "/healthz",
    { config: { access: "open" }, schema: { tags: ["operations"], summary: "Is the process alive", response: answer } },
    () => ({ status: "ok" as const }),
  );

  app.get(
    "/readyz",
    { config: { access: "open" }, schema: { tags: ["operations"], summary: "Are the engines up", response: answer } },
    async () => {
      try {
        await Promise.all([database.query("select 1"), questions.ping()]);
      } catch (cause) {
        throw new Refusal("unavailable", "An engine does not answer.", { retryAfter: 1, cause });
      }
      return { status: "ok" as const };
    },
  );
}
