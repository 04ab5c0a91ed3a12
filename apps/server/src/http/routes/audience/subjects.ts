import { Refusal, type SubjectType } from "@muster/protocol";
import { SUBJECTS_API } from "@muster/protocol/api/subjects";
import type { Subjects } from "../../../audience/subjects/subjects.js";
import type { App } from "../../app-type.js";
import { type Caller, connectorIdOf, isOwner, readerOf } from "../../auth/caller.js";
import { INCOMPLETE, type NoteIncomplete } from "../../hooks/incomplete-answers.js";
import type { ObjectHandler } from "../../object-handler.js";
import { notFound } from "../not-found.js";
import { readMoment } from "../read-moment.js";
import { namesMarks, readUserMarks } from "./read-user-marks.js";

export interface ReportRoutesOptions {
  subjects: Subjects;
  noteIncomplete: NoteIncomplete;
}

/** Reports of users and accounts by id. */
export function reportRoutes(app: App, { subjects, noteIncomplete }: ReportRoutesOptions): void {
  for (const subjectType of ["user", "account"] as const) {
    app.get(
      `/:id/${subjectType}_report`,
      {
        config: { access: "connector" },
        preHandler: noteIncomplete,
        schema: {
          tags: ["reports"],
          summary: `The flat report of one ${subjectType}, with its segments`,
          description: `With \`at\`, it is what was known then: attributes whose changes are tracked, the ids of segments${subjectType === "user" ? ", and the account" : ""}. ${INCOMPLETE}`,
          ...SUBJECTS_API[`GET /api/v1/{id}/${subjectType}_report`],
        },
      },
      async ({ caller, params, query }) => {
        if (query.at !== undefined) {
          const past = await subjects.reportAt(caller.organization.id, subjectType, params.id, readMoment(query.at));
          if (!past) throw notFound(subjectType, params.id);
          return past;
        }
        const profile = await subjects.find(subjectType, caller.organization.id, params.id);
        if (!profile) throw notFound(subjectType, params.id);
        const reader = readerOf(caller);
        const { report, segments } = await subjects.reportWithSegments(caller.organization.id, profile, reader);
        return { ...report, segments };
      },
    );
  }
}

/** Users under `/:id`. An update changes the marks of the record; attributes are changed with `traits` entries. */
export function userObjects(subjects: Subjects): ObjectHandler {
  const record = async (id: string, caller: Caller) => {
    const { organization } = caller;
    const user = await subjects.find("user", organization.id, id);
    return user && subjects.userRecord(organization.id, user, readerOf(caller));
  };
  return {
    read: record,
    takesUpdate: namesMarks,
    async update(id, body, caller) {
      const { organization } = caller;
      const changes = readUserMarks(body);
      if (changes.isAdmin !== undefined && caller.kind === "member" && !isOwner(caller)) {
        throw new Refusal("forbidden", "Only owners may make a user an admin, or take that away.");
      }
      const userId = await subjects.findUserId(organization.id, id);
      if (userId === undefined) return undefined;
      const isChanged = await subjects.marks.change(organization.id, userId, changes);
      return isChanged ? record(userId, caller) : undefined;
    },
    remove: (id, caller) => erase(subjects, "user", id, caller),
  };
}

/** Accounts under `/:id`. There is no update: attributes are changed with `traits` entries. */
export function accountObjects(subjects: Subjects): ObjectHandler {
  return {
    async read(id, caller) {
      const { organization } = caller;
      const account = await subjects.find("account", organization.id, id);
      if (!account) return undefined;
      const report = await subjects.report(organization.id, account, readerOf(caller));
      return { type: "account" as const, ...report };
    },
    remove: (id, caller) => erase(subjects, "account", id, caller),
  };
}

async function erase(subjects: Subjects, subjectType: SubjectType, id: string, caller: Caller) {
  const erased = await subjects.erase(caller.organization.id, subjectType, id, connectorIdOf(caller));
  if (!erased) return false;
  const { position, receipt } = erased;
  return { id: erased.id, deleted: true as const, position, ...(receipt ? { receipt } : {}) };
}
