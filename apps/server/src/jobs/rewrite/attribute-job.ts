import type { AttributeType } from "../../domain/attributes/attribute-definitions.js";
import { type AttributeValue, readValue } from "../../domain/attributes/attribute-values.js";
import { convertValue } from "../../domain/attributes/convert-value.js";
import { subjectTypeOf } from "../../domain/jobs/job.js";
import type { Profile } from "../../domain/profiles/profile.js";
import { removeAttribute } from "../../storage/postgres/definitions/attribute-rows.js";
import { countProfiles } from "../../storage/postgres/profiles/profile-ids.js";
import { pageProfiles } from "../../storage/postgres/profiles/profiles.js";
import { JobFailure } from "../runner/job-failure.js";
import type { JobRun } from "../runner/job-handler.js";
import { rewriteProfiles } from "./rewrite-page.js";
import { type EngineWait, waitForEngine } from "./wait-for-engine.js";

/** The request to delete or convert an attribute, as its job stores it. */
export type AttributeRewrite =
  | { kind: "delete_attribute"; name: string }
  | { kind: "convert_attribute"; name: string; type: AttributeType };

interface Place {
  /** Profiles up to this id are done in the present pass. */
  after: string;
  /** How many profiles the present pass has changed. */
  found: number;
  /** Which pass it is, from 1. */
  pass: number;
  changed: number;
  /** Values that could not be converted and are gone. */
  lost: number;
}

const PAGE_SIZE = 500;
// A merge may move a value to a profile that the pass has left behind. No record can add such a value, so the passes end.
const MAX_PASSES = 10;
const BEGINNING: Place = { after: "", found: 0, pass: 1, changed: 0, lost: 0 };

/**
 * Deletes or converts an attribute of everybody, in pages by id. Each page is one change, which the question engine gets
 * like every other. It goes over all profiles until a pass finds nothing to change.
 */
export async function rewriteAttribute(options: EngineWait, run: JobRun, rewrite: AttributeRewrite) {
  const { database } = options;
  const { job, signal } = run;
  const { organizationId } = job;
  const subjectType = subjectTypeOf(job.object);
  // Only this module saves the checkpoint.
  let place: Place = { ...BEGINNING, ...(job.checkpoint as Partial<Place>) };
  let { processed } = job.progress;
  const total = await countProfiles(database, subjectType, organizationId);
  for (;;) {
    signal.throwIfAborted();
    const page = await pageProfiles(database, subjectType, organizationId, place.after, PAGE_SIZE);
    const last = page.at(-1)?.profile.id;
    if (last === undefined) {
      if (place.found === 0) break;
      if (place.pass === MAX_PASSES) throw new JobFailure("Users are merged faster than the job reads them.");
      place = { ...place, after: "", found: 0, pass: place.pass + 1 };
      continue;
    }
    const ids = page.filter(({ profile }) => needsRewrite(profile, rewrite)).map(({ profile }) => profile.id);
    let changed = 0;
    let lost = 0;
    const sequence = await rewriteProfiles(database, organizationId, subjectType, ids, (profile) => {
      if (!needsRewrite(profile, rewrite)) return false;
      changed++;
      if (!editCell(profile, rewrite)) lost++;
      return true;
    });
    if (sequence !== undefined) await waitForEngine(options, organizationId, sequence, signal);
    processed += place.pass === 1 ? page.length : 0;
    place = {
      after: last,
      pass: place.pass,
      found: place.found + changed,
      changed: place.changed + changed,
      lost: place.lost + lost,
    };
    await run.save({ ...job.progress, processed, total: Math.max(total, processed) }, place);
  }
  if (rewrite.kind === "delete_attribute") await removeAttribute(database, organizationId, subjectType, rewrite.name);
  return { result: { changed: place.changed, ...(rewrite.kind === "convert_attribute" ? { lost: place.lost } : {}) } };
}

function needsRewrite({ cells }: Profile, rewrite: AttributeRewrite): boolean {
  const cell = cells.get(rewrite.name);
  if (!cell) return false;
  if (rewrite.kind === "delete_attribute") return true;
  return cell.value !== null && !isStoredAs(rewrite.type, cell.value);
}

/** Whether a value is stored as its type wants it. A date of another form could be read, but not compared. */
function isStoredAs(type: AttributeType, value: NonNullable<AttributeValue>): boolean {
  const reading = readValue(type, value);
  return reading.ok && reading.value === value;
}

/** Returns false when the value could not be converted. It is unset then. */
function editCell({ cells }: Profile, rewrite: AttributeRewrite): boolean {
  const cell = cells.get(rewrite.name);
  if (rewrite.kind === "delete_attribute") return cells.delete(rewrite.name);
  if (!cell || cell.value === null) return true;
  const converted = convertValue(rewrite.type, cell.value);
  cells.set(rewrite.name, { ...cell, value: converted.ok ? converted.value : null });
  return converted.ok;
}
