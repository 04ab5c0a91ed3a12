import { Refusal, type SubjectType } from "@muster/protocol";
import { Type } from "typebox";
import type { Subjects } from "../../../audience/subjects.js";
import type { Entry } from "../../../domain/entries/entry.js";
import type { Intake } from "../../../pipeline/accept/intake.js";
import type { Questions } from "../../../storage/questions/questions.js";
import type { App } from "../../app-type.js";
import { type Caller, connectorOf } from "../../auth/caller.js";
import type { ObjectHandler } from "../object-handler.js";

const Params = Type.Object({ id: Type.String() });
const Report = Type.Object({}, { additionalProperties: true });

/** Reports of users and accounts by id. */
export function reportRoutes(app: App, subjects: Subjects): void {
  for (const kind of ["user", "account"] as const) {
    app.get(
      `/:id/${kind}_report`,
      {
        config: { access: "connector" },
        schema: {
          tags: ["reports"],
          summary: `The flat report of a ${kind}`,
          params: Params,
          response: { 200: Report },
        },
      },
      async ({ caller, params }) => {
        const profile = await subjects.find(kind, caller.organization.id, params.id);
        return subjects.report(caller.organization.id, profile ?? notFound(kind, params.id));
      },
    );
  }
}

export interface SubjectObjectsOptions {
  subjects: Subjects;
  intake: Intake;
}

/** Users under `/:id`. Attributes go through traits, so there is no update; removing is erasing. */
export function userObjects({ subjects, intake }: SubjectObjectsOptions): ObjectHandler {
  return {
    async read(id, caller) {
      const user = await subjects.find("user", caller.organization.id, id);
      return user && subjects.userRecord(caller.organization.id, user, isAdmin(caller));
    },
    remove: (id, caller) => erase("user", id, caller, subjects, intake),
  };
}

/** Accounts under `/:id`. */
export function accountObjects({ subjects, intake }: SubjectObjectsOptions): ObjectHandler {
  return {
    async read(id, caller) {
      const account = await subjects.find("account", caller.organization.id, id);
      return account && { type: "account", ...(await subjects.report(caller.organization.id, account)) };
    },
    remove: (id, caller) => erase("account", id, caller, subjects, intake),
  };
}

/** Events under `/:id`. */
export function eventObjects(questions: Questions): ObjectHandler {
  return { read: (id, { organization }) => questions.findEvent(organization.id, id) };
}

export function isAdmin(caller: Caller): boolean {
  return caller.kind !== "anonymous" && caller.kind !== "operator" && caller.subject?.scopes.includes("admin") === true;
}

async function erase(kind: SubjectType, id: string, caller: Caller, subjects: Subjects, intake: Intake) {
  const profile = await subjects.find(kind, caller.organization.id, id);
  if (!profile) return false;
  const connectorId = caller.kind === "operator" ? "" : connectorOf(caller).id;
  // Not active: it takes its place behind the records that were accepted before it, or they would bring the subject back.
  const entry: Entry = {
    type: "incinerate",
    at: Date.now(),
    connectorId,
    subject: kind,
    [kind]: { id: profile.id },
    create: false,
    active: false,
    body: {},
  };
  return {
    id: profile.id,
    deleted: true,
    position: await intake.acceptEntries(caller.organization.id, connectorId, [entry]),
  };
}

function notFound(kind: SubjectType, id: string): never {
  throw new Refusal("not_found", `There is no ${kind} "${id.slice(0, 100)}".`);
}
