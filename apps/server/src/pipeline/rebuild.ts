import type { Logger } from "pino";
import { forgetSubjects, subjectsOf } from "../domain/forget-subjects.js";
import { documentOf, dropOrganization, writeDocuments } from "../storage/clickhouse/projection.js";
import { readChanges, readProjectCursor, saveProjectCursor } from "../storage/postgres/changes.js";
import { loadAttributes } from "../storage/postgres/definitions.js";
import { findErased } from "../storage/postgres/erasures.js";
import { pageProfiles } from "../storage/postgres/profiles.js";
import {
  beginDocuments,
  findOpenRebuild,
  type Rebuild,
  resetProjection,
  saveRebuild,
} from "../storage/postgres/rebuilds.js";
import { advance, type ProjectOptions, projectHappenings } from "./project.js";

export interface RebuildOptions extends ProjectOptions {
  logger: Logger;
}

// A page of documents is some megabytes; a restart repeats at most one.
const DOCUMENTS_PER_STEP = 2_000;
const CHANGES_PER_STEP = 16;

/**
 * Does the next piece of a rebuild of ClickHouse from PostgreSQL: drop what is there, write every document anew, then
 * replay the change log for events and memberships, with the versions they had. It runs inside the project stage, so
 * nothing else writes the organization's tables meanwhile; new changes wait behind it and are evaluated and told as
 * ever, replayed ones are not told again. False when no rebuild is wanted.
 */
export async function rebuildNext(options: RebuildOptions, organizationId: string): Promise<boolean> {
  const rebuild = await findOpenRebuild(options.database, organizationId);
  switch (rebuild?.phase) {
    case "requested":
      await clear(options, organizationId);
      return true;
    case "documents":
      await writePage(options, rebuild);
      return true;
    case "events":
      await replay(options, rebuild);
      return true;
    default:
      return false;
  }
}

async function clear({ database, clickhouse, handover, logger }: RebuildOptions, organizationId: string) {
  // In this order a crash in between leaves a request that stands, and nothing says of data that is gone that it is there.
  await database.transaction((tx) => resetProjection(tx, organizationId));
  handover.clear(organizationId);
  await dropOrganization(clickhouse, organizationId);
  await beginDocuments(database, organizationId);
  logger.info({ organizationId }, "rebuild begun");
}

async function writePage({ database, clickhouse, maxAttributes, logger }: RebuildOptions, rebuild: Rebuild) {
  const { organizationId, kind, afterId } = rebuild;
  const profiles = await pageProfiles(database, kind, organizationId, afterId, DOCUMENTS_PER_STEP);
  const last = profiles.at(-1);
  if (last) {
    const definitions = await loadAttributes(database, organizationId, kind, maxAttributes);
    const page = profiles.map((current) => documentOf(current, Date.now()));
    await writeDocuments(clickhouse, kind, organizationId, page, definitions);
    const documents = rebuild.documents + profiles.length;
    await saveRebuild(database, { ...rebuild, afterId: last.profile.id, documents });
    logger.info({ organizationId, documents }, "rebuild writes documents");
  } else if (kind === "account") {
    await saveRebuild(database, { ...rebuild, kind: "user", afterId: "" });
  } else {
    await saveRebuild(database, { ...rebuild, phase: "events" });
  }
}

async function replay({ database, clickhouse, logger }: RebuildOptions, rebuild: Rebuild) {
  const { organizationId, untilSequence } = rebuild;
  const cursor = await readProjectCursor(database, organizationId);
  const read = await readChanges(database, organizationId, cursor.sequence, CHANGES_PER_STEP);
  const changes = read.filter(({ sequence }) => sequence <= untilSequence);
  if (changes.length === 0) {
    await saveRebuild(database, { ...rebuild, phase: "done" });
    logger.info({ organizationId, documents: rebuild.documents, changes: cursor.sequence }, "rebuild done");
    return;
  }
  const ids = changes.flatMap(({ change }) => subjectsOf(change));
  const erased = await findErased(database, organizationId, ids);
  const kept = changes.map((logged) => ({
    ...logged,
    // Who was erased is not written, and so need not be erased again.
    change: { ...forgetSubjects(logged.change, erased), removed: [] },
  }));
  await projectHappenings(clickhouse, organizationId, kept);
  await saveProjectCursor(database, organizationId, advance(cursor, changes));
  logger.info({ organizationId, replayed: changes.at(-1)?.sequence, of: untilSequence }, "rebuild replays changes");
}
