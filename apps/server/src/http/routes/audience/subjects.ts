import type { SubjectType } from "@muster/protocol";
import { Type } from "typebox";
import type { Subjects } from "../../../audience/subjects.js";
import type { App } from "../../app-type.js";
import { type Caller, connectorIdOf, isAdmin } from "../../auth/caller.js";
import { anyObjectAs } from "../../reference/named-schema.js";
import { notFound } from "../not-found.js";
import type { ObjectHandler } from "../object-handler.js";

/** Reports of users and accounts by id. */
export function reportRoutes(app: App, subjects: Subjects): void {
  for (const subjectType of ["user", "account"] as const) {
    app.get(
      `/:id/${subjectType}_report`,
      {
        config: { access: "connector" },
        schema: {
          tags: ["reports"],
          summary: `The flat report of one ${subjectType}`,
          params: Type.Object({ id: Type.String({ description: `The id of the ${subjectType}.` }) }),
          response: { 200: anyObjectAs(subjectType === "user" ? "UserReport" : "AccountReport") },
        },
      },
      async ({ caller, params }) => {
        const profile = await subjects.find(subjectType, caller.organization.id, params.id);
        if (!profile) throw notFound(subjectType, params.id);
        return subjects.report(caller.organization.id, profile);
      },
    );
  }
}

/** Users under `/:id`. There is no update: attributes are changed with `traits` entries. */
export function userObjects(subjects: Subjects): ObjectHandler {
  return {
    async read(id, caller) {
      const user = await subjects.find("user", caller.organization.id, id);
      return user && subjects.userRecord(caller.organization.id, user, isAdmin(caller));
    },
    remove: (id, caller) => erase(subjects, "user", id, caller),
  };
}

/** Accounts under `/:id`. There is no update: attributes are changed with `traits` entries. */
export function accountObjects(subjects: Subjects): ObjectHandler {
  return {
    async read(id, caller) {
      const account = await subjects.find("account", caller.organization.id, id);
      return account && { type: "account", ...(await subjects.report(caller.organization.id, account)) };
    },
    remove: (id, caller) => erase(subjects, "account", id, caller),
  };
}

async function erase(subjects: Subjects, subjectType: SubjectType, id: string, caller: Caller) {
  const erased = await subjects.erase(caller.organization.id, subjectType, id, connectorIdOf(caller));
  if (!erased) return false;
  const { position, receipt } = erased;
  return { id: erased.id, deleted: true, position, ...(receipt ? { receipt } : {}) };
}
