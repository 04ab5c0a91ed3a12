import { askValues, type ValuesById } from "../../audience/computed/ask-values.js";
import type { EngineComputed } from "../../audience/computed/known-computed.js";
import { inParts } from "../../runtime/loops/in-parts.js";
import { refill } from "../../storage/postgres/computed/fill-progress.js";
import { findAccountsOfUsers } from "../../storage/postgres/profiles/profiles.js";
import type { Questions } from "../../storage/questions/questions.js";
import type { UnprojectedChange } from "../buffers/change-buffer.js";
import { type Touches, touchedBy, touchedByMoves } from "../evaluate/touched-by.js";
import type { Reports } from "../project/prepare-changes.js";
import type { LoadedComputations } from "./loaded-computations.js";
import { noteRefused } from "./note-refused.js";
import { type WriteOptions, writeValues } from "./write-values.js";

export interface ComputeOptions extends WriteOptions {
  questions: Questions;
}

/** Changes that are being written to the question engine. */
export interface ChangesToCompute {
  changes: readonly UnprojectedChange[];
  reports: Reports;
  computations: LoadedComputations | undefined;
  /** Settles when the question engine has the changes. */
  written: Promise<void>;
}

// More accounts than that are asked about in several statements.
const IDS_PER_LOOK = 10_000;
// Micro-batches wait while a change is written.
const SUBJECTS_PER_CHANGE = 1_000;

/**
 * The compute stage: finds the computed attributes that consecutive changes can have changed, asks the question engine for
 * their values, and writes those that differ as a change of their own. It comes before the cursor of the relay advances,
 * and what it computes follows from the state alone, so it may be repeated. An organization without computed attributes
 * costs nothing here.
 */
export async function computeChanges(
  options: ComputeOptions,
  organizationId: string,
  { changes, reports, computations, written }: ChangesToCompute,
): Promise<void> {
  const cause = changes.at(-1);
  if (!cause || !computations) return;
  await noteRefused(options, organizationId, computations.index.refused);
  await refillRenamed(options, organizationId, computations, changes);
  if (computations.index.isEmpty) return;
  const touched = touchedBy(changes);
  const user = usersToAsk(computations, touched.user, touched.gone, changes);
  const account = await accountsToAsk(options, organizationId, computations, { touched, changes, reports });
  if (user.size + account.size === 0) return;
  await written;
  const context = { attributeTypes: computations.attributeTypes, now: new Date() };
  const ask = async (wanted: Wanted): Promise<ValuesById> => {
    const values: ValuesById = new Map();
    for (const { asked, ids } of groupsOf(wanted)) {
      const answer = await askValues(options.questions, organizationId, asked, ids, context);
      await noteRefused(options, organizationId, answer.refused);
      for (const [id, computed] of answer.values) values.set(id, computed);
    }
    return values;
  };
  for (const part of inParts([...(await ask(user))], SUBJECTS_PER_CHANGE)) {
    await writeValues(options, organizationId, { user: new Map(part), account: new Map() }, cause);
  }
  for (const part of inParts([...(await ask(account))], SUBJECTS_PER_CHANGE)) {
    await writeValues(options, organizationId, { user: new Map(), account: new Map(part) }, cause);
  }
}

/** The subjects whose values may have changed, with what to compute for each. */
type Wanted = ReadonlyMap<string, readonly EngineComputed[]>;

/** The users who have got other events. A merged user has those of two, until they come apart again. */
function usersToAsk(
  { index }: LoadedComputations,
  touches: Touches,
  gone: ReadonlySet<string>,
  changes: readonly UnprojectedChange[],
): Wanted {
  const wanted = new Map<string, readonly EngineComputed[]>();
  const joined = new Set(
    changes.flatMap(({ change }) => [
      ...change.merges.map(({ survivor }) => survivor),
      ...(change.unmerges ?? []).flatMap(({ survivor, restored }) => [survivor, restored]),
    ]),
  );
  for (const [id, { events }] of touches) {
    if (gone.has(id)) continue;
    const asked = joined.has(id) ? index.ofUsers : index.ofEvents(events);
    if (asked.length > 0) wanted.set(id, asked);
  }
  return wanted;
}

interface AccountCauses {
  touched: ReturnType<typeof touchedBy>;
  changes: readonly UnprojectedChange[];
  reports: Reports;
}

/** The accounts, before and now, of users who have changed in what a roll-up reads. */
async function accountsToAsk(
  { database }: ComputeOptions,
  organizationId: string,
  { index }: LoadedComputations,
  { touched, changes, reports }: AccountCauses,
): Promise<Wanted> {
  const wanted = new Map<string, Set<EngineComputed>>();
  if (index.ofAccounts.length === 0) return wanted as Map<string, never>;
  const want = (accountId: unknown, asked: readonly EngineComputed[]) => {
    if (typeof accountId !== "string" || asked.length === 0 || touched.gone.has(accountId)) return;
    const known = wanted.get(accountId) ?? new Set<EngineComputed>();
    for (const computed of asked) known.add(computed);
    wanted.set(accountId, known);
  };
  for (const { change } of changes) {
    for (const accountId of change.left ?? []) want(accountId, index.ofAccounts);
    for (const { kind, survivor } of change.merges) if (kind === "account") want(survivor, index.ofAccounts);
    for (const { kind, survivor, restored } of change.unmerges ?? []) {
      if (kind === "account") for (const accountId of [survivor, restored]) want(accountId, index.ofAccounts);
    }
    for (const { changes: values } of change.users) {
      for (const accountId of values.account_id ?? []) want(accountId, index.ofAccounts);
    }
  }
  for (const [id, touch] of touched.account) want(id, index.affectedBy(touch, "account"));
  const moved = changes.flatMap(({ change }) => change.evaluation?.moves ?? []);
  for (const [id, touch] of touchedByMoves(moved.filter(({ subjectType }) => subjectType === "account"))) {
    want(id, index.affectedBy(touch, "account"));
  }
  const elsewhere = new Map<string, readonly EngineComputed[]>();
  const ofUsers = touchedByMoves(moved.filter(({ subjectType }) => subjectType === "user"));
  for (const [id, touch] of [...touched.user, ...ofUsers]) {
    if (touched.gone.has(id)) continue;
    const asked = index.affectedBy(touch, "user");
    if (asked.length === 0) continue;
    const report = reports.get(id);
    if (report) want(report.account_id, asked);
    else elsewhere.set(id, [...(elsewhere.get(id) ?? []), ...asked]);
  }
  const ids = [...elsewhere.keys()];
  for (let start = 0; start < ids.length; start += IDS_PER_LOOK) {
    const links = await findAccountsOfUsers(database, organizationId, ids.slice(start, start + IDS_PER_LOOK));
    for (const { id, accountId } of links) want(accountId, elsewhere.get(id) ?? []);
  }
  return new Map([...wanted].map(([id, asked]) => [id, [...asked]]));
}

/** Puts subjects together that need the same values. */
function groupsOf(wanted: Wanted): { asked: readonly EngineComputed[]; ids: string[] }[] {
  const groups = new Map<string, { asked: readonly EngineComputed[]; ids: string[] }>();
  for (const [id, asked] of wanted) {
    const key = asked.map((computed) => computed.id).join(" ");
    const group = groups.get(key);
    if (group) group.ids.push(id);
    else groups.set(key, { asked, ids: [id] });
  }
  // Many small statements take longer than one that also computes what has not changed.
  if (groups.size <= MOST_GROUPS) return [...groups.values()];
  const all = new Set([...groups.values()].flatMap(({ asked }) => asked));
  return [{ asked: [...all], ids: [...wanted.keys()] }];
}

const MOST_GROUPS = 3;

/** Stored events have got another name: what asks for it is computed for everybody again. */
async function refillRenamed(
  { database, lease }: ComputeOptions,
  organizationId: string,
  { index }: LoadedComputations,
  changes: readonly UnprojectedChange[],
): Promise<void> {
  const names = new Set(
    changes.flatMap(({ change }) =>
      (change.renamed ?? []).flatMap(({ from, into, sentAs }) => [from, into, ...(sentAs ?? [])]),
    ),
  );
  if (names.size === 0) return;
  const asking = index.asking(names).map(({ id }) => id);
  if (asking.length === 0) return;
  await database.transaction(async (tx) => {
    await lease.confirm(tx);
    await refill(tx, organizationId, asking);
  });
}
