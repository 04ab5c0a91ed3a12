import type { AttributeType } from "../../domain/attributes/attribute-definitions.js";
import { type AttributeValue, readValue } from "../../domain/attributes/attribute-values.js";
import { convertValue } from "../../domain/attributes/convert-value.js";
import { subjectTypeOf } from "../../domain/jobs/job.js";
import type { Cell } from "../../domain/profiles/profile.js";
import type { Transaction } from "../../storage/postgres/database.js";
import { removeAttribute } from "../../storage/postgres/definitions/attribute-rows.js";
import { countProfiles } from "../../storage/postgres/profiles/profile-ids.js";
import { pageProfiles } from "../../storage/postgres/profiles/profiles.js";
import { JobFailure } from "../runner/job-failure.js";
import type { JobRun } from "../runner/job-handler.js";
import { rewriteHalves } from "./rewrite-halves.js";
import { type RewritePageOptions, rewriteProfiles } from "./rewrite-page.js";
import { type EngineWait, waitForEngine } from "./wait-for-engine.js";

/** The request to delete or convert an attribute, as its job stores it. */
export type AttributeRewrite =
  | { kind: "delete_attribute"; name: string }
  | { kind: "convert_attribute"; name: string; type: AttributeType };

export type AttributeRewriteOptions = EngineWait & RewritePageOptions;

interface Place {
  /** What the present pass is reading: first the profiles, then the halves of merged ones. */
  part: "profiles" | "halves";
  /** Those up to this id are done. */
  after: string;
  /** How many profiles and halves the present pass has changed. */
  found: number;
  /** Which pass it is, from 1. */
  pass: number;
  /** There are halves. */
  hasHalves: boolean;
  /** Profiles that were changed. */
  changed: number;
  /** Values of profiles that could not be converted and are gone. */
  lost: number;
}

const PAGE_SIZE = 500;
// A merge, or the undo of one, may move a value to where the pass has been. No record can add such a value, so the passes end.
const MAX_PASSES = 10;
const BEGINNING: Place = { part: "profiles", after: "", found: 0, pass: 1, hasHalves: false, changed: 0, lost: 0 };

/**
 * Deletes or converts an attribute of everybody, in pages by id. Each page of profiles is one change, which the question engine
 * gets like every other. It goes over all profiles and halves until a pass finds nothing to change.
 */
export async function rewriteAttribute(options: AttributeRewriteOptions, run: JobRun, rewrite: AttributeRewrite) {
  const { database } = options;
  const { job, signal } = run;
  const { organizationId } = job;
  const subjectType = subjectTypeOf(job.object);
  // Only this module saves the checkpoint.
  let place: Place = { ...BEGINNING, ...(job.checkpoint as Partial<Place>) };
  let { processed } = job.progress;
  const total = await countProfiles(database, subjectType, organizationId);
  const save = (read: number, tx?: Transaction) => {
    processed += place.pass === 1 ? read : 0;
    return run.save({ ...job.progress, processed, total: Math.max(total, processed) }, place, tx);
  };
  const rewritePage = async (): Promise<string | undefined> => {
    const page = await pageProfiles(database, subjectType, organizationId, place.after, PAGE_SIZE);
    const last = page.at(-1)?.profile.id;
    if (last === undefined) return undefined;
    const ids = page.filter(({ profile }) => needsRewrite(profile.cells, rewrite)).map(({ profile }) => profile.id);
    let changed = 0;
    let lost = 0;
    const edit = (cells: Cells) => {
      if (!needsRewrite(cells, rewrite)) return false;
      changed++;
      if (!editCell(cells, rewrite)) lost++;
      return true;
    };
    const sequence = await rewriteProfiles(options, organizationId, subjectType, { ids, name: rewrite.name, edit });
    if (sequence !== undefined) await waitForEngine(options, organizationId, sequence, signal);
    const { found, changed: before, lost: lostBefore } = place;
    place = { ...place, after: last, found: found + changed, changed: before + changed, lost: lostBefore + lost };
    await save(page.length);
    return last;
  };
  const rewritePageOfHalves = async (): Promise<string | undefined> => {
    const page = { subjectType, after: place.after, limit: PAGE_SIZE };
    const edit = (cells: Cells) => {
      const isNeeded = needsRewrite(cells, rewrite);
      if (isNeeded) editCell(cells, rewrite);
      return isNeeded;
    };
    let reached: string | undefined;
    await rewriteHalves(database, organizationId, page, edit, async ({ read, changed, last }, tx) => {
      reached = last;
      if (last === undefined) return;
      place = { ...place, after: last, found: place.found + changed, hasHalves: place.hasHalves || read > 0 };
      await save(read, tx);
    });
    return reached;
  };
  for (;;) {
    signal.throwIfAborted();
    const isDone = place.part === "profiles" ? !(await rewritePage()) : !(await rewritePageOfHalves());
    if (!isDone) continue;
    if (place.part === "profiles") place = { ...place, part: "halves", after: "" };
    // A merge that was undone in the only pass may have moved a value past it.
    else if (place.found === 0 && (place.pass > 1 || !place.hasHalves)) break;
    else if (place.pass === MAX_PASSES) throw new JobFailure("Users are merged faster than the job reads them.");
    else place = { ...place, part: "profiles", after: "", found: 0, pass: place.pass + 1 };
  }
  if (rewrite.kind === "delete_attribute") await removeAttribute(database, organizationId, subjectType, rewrite.name);
  return { result: { changed: place.changed, ...(rewrite.kind === "convert_attribute" ? { lost: place.lost } : {}) } };
}

/** Cells of a profile or a half; undefined where there was none before. */
type Cells = Map<string, Cell | undefined>;

function needsRewrite(cells: Cells, rewrite: AttributeRewrite): boolean {
  if (rewrite.kind === "delete_attribute") return cells.has(rewrite.name);
  const value = cells.get(rewrite.name)?.value ?? null;
  return value !== null && !isStoredAs(rewrite.type, value);
}

/** Whether a value is stored as its type wants it. A date of another form could be read, but not compared. */
function isStoredAs(type: AttributeType, value: NonNullable<AttributeValue>): boolean {
  const reading = readValue(type, value);
  return reading.ok && reading.value === value;
}

/** Returns false when the value could not be converted. It is unset then. */
function editCell(cells: Cells, rewrite: AttributeRewrite): boolean {
  const cell = cells.get(rewrite.name);
  if (rewrite.kind === "delete_attribute") return cells.delete(rewrite.name);
  if (!cell || cell.value === null) return true;
  const converted = convertValue(rewrite.type, cell.value);
  cells.set(rewrite.name, { ...cell, value: converted.ok ? converted.value : null });
  return converted.ok;
}
