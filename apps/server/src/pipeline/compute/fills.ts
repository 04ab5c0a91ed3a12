import type { SubjectType } from "@muster/protocol";
import { askValues, SUBJECTS_PER_QUESTION, type ValuesById } from "../../audience/computed/ask-values.js";
import type { EngineComputed, RefusedComputed } from "../../audience/computed/known-computed.js";
import type { ProjectCursor } from "../../storage/postgres/changes/changes.js";
import { listComputed, type StoredComputed } from "../../storage/postgres/computed/computed-attributes.js";
import { endFills, refill, saveFill, saveLook } from "../../storage/postgres/computed/fill-progress.js";
import { readRevisions } from "../../storage/postgres/definitions/revisions.js";
import { countProfiles, profileIdsAfter } from "../../storage/postgres/profiles/profile-ids.js";
import { findAccountsOfUsers } from "../../storage/postgres/profiles/profiles.js";
import { OF_PIPELINE } from "../../storage/questions/asking.js";
import type { ComputeOptions } from "./compute.js";
import { type LoadedComputations, loadComputations } from "./loaded-computations.js";
import { movedUsers } from "./moved-users.js";
import { noteRefused } from "./note-refused.js";
import { PatientQuestions, type PatientQuestionsOptions } from "./patient-questions.js";
import { causeAt, NOBODY, writeValues } from "./write-values.js";

/** Values are right within a minute after a window has moved. */
export const COMPUTE_PERIODS = { lookSeconds: 20, retrySeconds: 60 };

// What is filled at once costs one scan of the events for all of them.
const COMPUTED_PER_FILL = 40;

// A page is one transaction and one change, for which micro-batches wait. What it costs depends on the profiles, so the time
// decides how many fit. Below some hundred, a page costs as much as a larger one: on a busy machine, where all pages are slow,
// smaller ones would only make it slower.
const PAGE = { first: 1_000, least: 250, most: SUBJECTS_PER_QUESTION, fastMs: 500, slowMs: 2_000 };

/** A look for subjects that the time has moved, which takes several steps. */
interface Look {
  computed: readonly EngineComputed[];
  from: Date;
  now: Date;
  /** Users up to this one were looked at. */
  after: string;
}

/**
 * Computes what no record changes: the values of everybody after a definition was created or edited, and those of subjects
 * that the time has moved out of a window. Each step does one page, and its progress is saved with the values, so a process
 * that ends repeats one page at most.
 */
export class Fills {
  readonly #questions: PatientQuestions<Answered>;
  readonly #requested = new Set<string>();
  readonly #looks = new Map<string, Look>();
  /** How many subjects the next page of an organization has. */
  readonly #pageSizes = new Map<string, number>();

  constructor({ onAnswered }: PatientQuestionsOptions) {
    // The relay may have nothing else to do.
    const request = (organizationId: string) => {
      this.request(organizationId);
      onAnswered(organizationId);
    };
    this.#questions = new PatientQuestions({ onAnswered: request });
  }

  /** Makes the next steps look for what is due. */
  request(organizationId: string): void {
    this.#requested.add(organizationId);
  }

  /** Forgets what is under way, when another process may have had the organization. */
  forget(organizationId: string): void {
    this.forgetAnswer(organizationId);
    if (this.#looks.delete(organizationId)) this.request(organizationId);
  }

  /** Makes the next steps ask again for the page that was asked for, when the answer may lack something. */
  forgetAnswer(organizationId: string): void {
    if (this.#questions.forget(organizationId)) this.request(organizationId);
  }

  /** Whether values were asked for that are not written yet. */
  isAsking(organizationId: string): boolean {
    return this.#questions.isAsking(organizationId);
  }

  /**
   * Begins the next piece of work when the definitions are read. What the relay takes after that is noted for all of them, so
   * the work may go on beside it. `done` is false when there is nothing to do now.
   */
  async begin(
    options: ComputeOptions,
    organizationId: string,
    cursor: ProjectCursor,
  ): Promise<{ done: Promise<boolean> }> {
    // Deleted before the look, because a request that arrives meanwhile asks for another look.
    if (!this.#requested.delete(organizationId)) return { done: Promise.resolve(false) };
    try {
      const definitions = await readDefinitions(options, organizationId);
      // Nothing else is computed while an answer is expected, and nobody would take this one.
      if (!definitions) this.#questions.forget(organizationId);
      return { done: definitions ? this.#work(options, organizationId, definitions, cursor) : Promise.resolve(false) };
    } catch (error) {
      this.request(organizationId);
      throw error;
    }
  }

  async #work(
    options: ComputeOptions,
    organizationId: string,
    definitions: Definitions,
    cursor: ProjectCursor,
  ): Promise<boolean> {
    const begunAt = performance.now();
    try {
      const { isDone, isDue, askedMs = 0 } = await this.#next(options, organizationId, definitions, cursor);
      if (isDue) this.request(organizationId);
      if (isDone) this.#sizePages(organizationId, askedMs + performance.now() - begunAt);
      else if (!this.isAsking(organizationId)) this.#pageSizes.delete(organizationId);
      return isDone;
    } catch (error) {
      this.#sizePages(organizationId, Number.POSITIVE_INFINITY);
      this.request(organizationId);
      throw error;
    }
  }

  #pageSize(organizationId: string): number {
    return this.#pageSizes.get(organizationId) ?? PAGE.first;
  }

  /** Makes the next pages larger after a fast one, and smaller after one that was slow or has failed. */
  #sizePages(organizationId: string, tookMs: number): void {
    const size = this.#pageSize(organizationId);
    const next = tookMs <= PAGE.fastMs ? size * 2 : tookMs >= PAGE.slowMs ? size / 2 : size;
    this.#pageSizes.set(organizationId, Math.round(Math.min(PAGE.most, Math.max(PAGE.least, next))));
  }

  async #next(
    options: ComputeOptions,
    organizationId: string,
    { stored, computations }: Definitions,
    cursor: ProjectCursor,
  ): Promise<Progress> {
    const { database, lease } = options;
    if (this.isAsking(organizationId)) {
      const slow = this.#questions.take(organizationId);
      return { ...(await write(options, slow, cursor)), askedMs: slow?.askedMs };
    }
    await noteRefused(options, organizationId, computations.index.refused);
    const now = new Date();
    const broken = stored.filter((one) => isToRetry(one, now));
    if (broken.length > 0) {
      await database.transaction(async (tx) => {
        await lease.confirm(tx);
        await refill(
          tx,
          organizationId,
          broken.map(({ id }) => id),
        );
      });
      return { isDone: true, isDue: true };
    }
    const open = stored.filter((one) => one.problem === null && one.filledRevision < one.revision);
    const first = open.find(({ fillAfter }) => fillAfter !== null);
    if (first) {
      const alike = open.filter((one) => one.subjectType === first.subjectType && one.fillAfter === first.fillAfter);
      const page = { now, limit: this.#pageSize(organizationId) };
      const answered = await this.#questions.ask(organizationId, () =>
        askFill(options, organizationId, computations, alike.slice(0, COMPUTED_PER_FILL), page),
      );
      return write(options, answered, cursor);
    }
    const ready = open.some(({ fillUntil }) => (fillUntil ?? 0) <= cursor.sequence);
    if (ready) {
      await database.transaction(async (tx) => {
        await lease.confirm(tx);
        await endFills(tx, organizationId, cursor.sequence, now);
      });
      return { isDone: true, isDue: true };
    }
    const look = this.#looks.get(organizationId) ?? beginLook(computations, stored, now);
    if (!look) return { isDone: false, isDue: open.length > 0 };
    const limit = this.#pageSize(organizationId);
    const answered = await this.#questions.ask(organizationId, async () => {
      const asked = await askLook(options, organizationId, computations, look, limit);
      const { after } = asked;
      return {
        ...asked,
        write: async (writing, at) => {
          await asked.write(writing, at);
          if (after === undefined) this.#looks.delete(organizationId);
          else this.#looks.set(organizationId, { ...look, after });
        },
      };
    });
    return write(options, answered, cursor);
  }
}

interface Progress {
  isDone: boolean;
  /** There is more to do, or will be. */
  isDue: boolean;
  /** How long the question engine took before this step, when the answer comes from an earlier one. */
  askedMs?: number | undefined;
}

/** Values that were asked for. */
interface Answered {
  /** How long the question engine took. */
  askedMs: number;
  write(options: ComputeOptions, cursor: ProjectCursor): Promise<void>;
}

/** What is computed for an organization, and how far. */
interface Definitions {
  stored: readonly StoredComputed[];
  computations: LoadedComputations;
}

async function readDefinitions({ database }: ComputeOptions, organizationId: string): Promise<Definitions | undefined> {
  if (((await readRevisions(database, organizationId))?.computed ?? null) === null) return undefined;
  // Listed before they are loaded: one that was created in between would count as filled without a value.
  const stored = await listComputed(database, organizationId);
  const revisions = await readRevisions(database, organizationId);
  const computations = await loadComputations(database, organizationId, revisions);
  return computations && { stored, computations };
}

function isToRetry({ problem, problemSince }: StoredComputed, now: Date): boolean {
  if (problem === null) return false;
  return (problemSince?.getTime() ?? 0) <= now.getTime() - COMPUTE_PERIODS.retrySeconds * 1_000;
}

function keyOf({ id, revision }: { id: string; revision: number }): string {
  return `${id} ${revision}`;
}

function beginLook({ index }: LoadedComputations, stored: readonly StoredComputed[], now: Date): Look | undefined {
  const last = new Map(
    stored.flatMap(({ id, movesWithTime, filledRevision, revision, lookedAt }) =>
      movesWithTime && filledRevision === revision ? [[id, lookedAt ?? new Date(0)] as const] : [],
    ),
  );
  const isDue = ({ id }: EngineComputed) => {
    const lookedAt = last.get(id)?.getTime();
    if (lookedAt === undefined) return false;
    // A time in the future was noted while a clock was ahead.
    return lookedAt > now.getTime() || lookedAt <= now.getTime() - COMPUTE_PERIODS.lookSeconds * 1_000;
  };
  const computed = [...index.ofUsers, ...index.ofAccounts].filter(isDue);
  if (computed.length === 0) return undefined;
  const from = new Date(Math.min(...computed.map(({ id }) => last.get(id)?.getTime() ?? 0)));
  return { computed, from, now, after: "" };
}

async function accountsOf({ database }: ComputeOptions, organizationId: string, users: readonly string[]) {
  const links = await findAccountsOfUsers(database, organizationId, users);
  return [...new Set(links.map(({ accountId }) => accountId))];
}

/** Writes an answer. When it has not come yet, it requests the next step. */
async function write(
  options: ComputeOptions,
  answered: Answered | undefined,
  cursor: ProjectCursor,
): Promise<Progress> {
  if (!answered) return { isDone: false, isDue: false };
  await answered.write(options, cursor);
  return { isDone: true, isDue: true };
}

/** Asks for the values of the next subjects that the time has moved. `after` is the last of them when there may be more. */
async function askLook(
  options: ComputeOptions,
  organizationId: string,
  { index, attributeTypes }: LoadedComputations,
  look: Look,
  limit: number,
): Promise<Answered & { after: string | undefined }> {
  const begunAt = performance.now();
  // One that was edited meanwhile is filled.
  const present = new Set([...index.ofUsers, ...index.ofAccounts].map(keyOf));
  const computed = look.computed.filter((one) => present.has(keyOf(one)));
  const reading = { attributeTypes, now: look.now };
  const users = await movedUsers(options.questions, organizationId, { ...look, computed }, { reading, limit });
  const values = { user: NOBODY, account: NOBODY };
  const refused: RefusedComputed[] = [];
  for (const subjectType of ["user", "account"] as const) {
    const asked = computed.filter((one) => one.subjectType === subjectType);
    if (asked.length === 0 || users.length === 0) continue;
    const ids = subjectType === "user" ? users : await accountsOf(options, organizationId, users);
    const answer = await askValues(options.questions, organizationId, asked, ids, reading, OF_PIPELINE);
    refused.push(...answer.refused);
    values[subjectType] = answer.values;
  }
  const isLast = users.length < limit;
  const ids = computed.map(({ id }) => id);
  return {
    askedMs: performance.now() - begunAt,
    after: isLast ? undefined : users.at(-1),
    write: async (writing, cursor) => {
      await noteRefused(writing, organizationId, refused);
      await writeValues(writing, organizationId, values, causeAt(cursor), async (tx) => {
        if (isLast) await saveLook(tx, organizationId, ids, look.now);
      });
    },
  };
}

/** Asks for the values that some definitions, which have come to the same subject, give the next subjects. */
async function askFill(
  { database, questions }: ComputeOptions,
  organizationId: string,
  { index, all, attributeTypes }: LoadedComputations,
  open: readonly StoredComputed[],
  { now, limit }: { now: Date; limit: number },
): Promise<Answered> {
  const begunAt = performance.now();
  const { subjectType, fillAfter, processed: before, total: known } = open[0]!;
  const ids = await profileIdsAfter(database, subjectType, organizationId, fillAfter ?? "", limit);
  const wanted = new Set(open.map(keyOf));
  const engine = [...index.ofUsers, ...index.ofAccounts].filter((one) => wanted.has(keyOf(one)));
  const formulas = all
    .filter(({ computation }) => computation.kind === "formula")
    .filter((one) => wanted.has(keyOf(one)));
  const answer = await askValues(questions, organizationId, engine, ids, { attributeTypes, now }, OF_PIPELINE);
  const refused = new Set(answer.refused.map(({ computed: { id } }) => id));
  const values = formulas.length > 0 ? withEverybody(answer.values, ids) : answer.values;
  const isLast = ids.length < limit;
  const processed = before + ids.length;
  const total = fillAfter === "" ? await countProfiles(database, subjectType, organizationId) : known;
  const toWrite = { ...valuesOf(subjectType, values), withFormulas: formulas.length > 0 };
  // Definitions that the loaded ones lack cannot be read, and end without values.
  const filled = open.filter(({ id }) => !refused.has(id));
  return {
    askedMs: performance.now() - begunAt,
    write: async (writing, cursor) => {
      await noteRefused(writing, organizationId, answer.refused);
      await writeValues(writing, organizationId, toWrite, causeAt(cursor), (tx, sequence) =>
        saveFill(tx, organizationId, filled, {
          after: isLast ? null : (ids.at(-1) ?? null),
          processed,
          total: Math.max(total, processed),
          sequence,
          now,
        }),
      );
    },
  };
}

function withEverybody(values: ValuesById, ids: readonly string[]): ValuesById {
  for (const id of ids) if (!values.has(id)) values.set(id, []);
  return values;
}

function valuesOf(subjectType: SubjectType, values: ValuesById) {
  return subjectType === "user" ? { user: values, account: NOBODY } : { user: NOBODY, account: values };
}
