import type { EngineComputed } from "../../audience/computed/known-computed.js";
import { refill } from "../../storage/postgres/computed/fill-progress.js";
import type { Database } from "../../storage/postgres/database.js";
import type { WorkLease } from "../../storage/postgres/leases/work-lease.js";
import { findAccountsOfUsers } from "../../storage/postgres/profiles/profiles.js";
import type { UnprojectedChange } from "../buffers/change-buffer.js";
import { type TouchedSubjects, touchedBy, touchedByMoves } from "../evaluate/touched-by.js";
import type { Reports } from "../project/prepare-changes.js";
import type { ComputationIndex } from "./computation-index.js";
import type { DueSubjects } from "./due-subjects.js";
import type { LoadedComputations } from "./loaded-computations.js";
import { noteRefused } from "./note-refused.js";

export interface NoteTouchedOptions {
  database: Database;
  /** The lease of this process on the work of the organization. */
  lease: WorkLease;
}

/** Changes, and the reports that they have led to. Users without a report are looked up. */
export interface ChangesWithReports {
  changes: readonly UnprojectedChange[];
  reports: Reports;
}

// More users than that are looked up in several statements.
const IDS_PER_LOOK = 10_000;

/** Notes the subjects whose computed attributes consecutive changes can have changed. */
export async function noteTouched(
  options: NoteTouchedOptions,
  organizationId: string,
  { index }: LoadedComputations,
  { changes, reports }: ChangesWithReports,
  due: DueSubjects,
): Promise<void> {
  await noteRefused(options, organizationId, index.refused);
  await refillRenamed(options, organizationId, index, changes);
  if (index.isEmpty) return;
  const touched = touchedBy(changes);
  due.remove(touched.gone);
  noteUsers(index, touched, changes, due);
  if (index.ofAccounts.length > 0) {
    await noteAccounts(options, organizationId, index, { touched, changes, reports }, due);
  }
}

/** The users who have got other events. A merged user has those of two, until they come apart again. */
function noteUsers(
  index: ComputationIndex,
  { user: touches, gone }: TouchedSubjects,
  changes: readonly UnprojectedChange[],
  due: DueSubjects,
): void {
  const joined = new Set(
    changes.flatMap(({ change }) => [
      ...change.merges.map(({ survivor }) => survivor),
      ...(change.unmerges ?? []).flatMap(({ survivor, restored }) => [survivor, restored]),
    ]),
  );
  for (const [id, { events }] of touches) {
    if (!gone.has(id)) due.add("user", id, joined.has(id) ? index.ofUsers : index.ofEvents(events));
  }
}

interface AccountCauses extends ChangesWithReports {
  touched: TouchedSubjects;
}

/** The accounts, before and now, of users who have changed in what a roll-up reads. */
async function noteAccounts(
  { database }: NoteTouchedOptions,
  organizationId: string,
  index: ComputationIndex,
  { touched, changes, reports }: AccountCauses,
  due: DueSubjects,
): Promise<void> {
  const note = (accountId: unknown, computed: readonly EngineComputed[]) => {
    if (typeof accountId === "string" && !touched.gone.has(accountId)) due.add("account", accountId, computed);
  };
  for (const { change } of changes) {
    for (const accountId of change.left ?? []) note(accountId, index.ofAccounts);
    for (const { kind, survivor } of change.merges) if (kind === "account") note(survivor, index.ofAccounts);
    for (const { kind, survivor, restored } of change.unmerges ?? []) {
      if (kind === "account") for (const accountId of [survivor, restored]) note(accountId, index.ofAccounts);
    }
    for (const { changes: values } of change.users) {
      for (const accountId of values.account_id ?? []) note(accountId, index.ofAccounts);
    }
  }
  for (const [id, touch] of touched.account) note(id, index.affectedBy(touch, "account"));
  const moved = changes.flatMap(({ change }) => change.evaluation?.moves ?? []);
  for (const [id, touch] of touchedByMoves(moved.filter(({ subjectType }) => subjectType === "account"))) {
    note(id, index.affectedBy(touch, "account"));
  }
  const elsewhere = new Map<string, readonly EngineComputed[]>();
  const ofUsers = touchedByMoves(moved.filter(({ subjectType }) => subjectType === "user"));
  for (const [id, touch] of [...touched.user, ...ofUsers]) {
    if (touched.gone.has(id)) continue;
    const computed = index.affectedBy(touch, "user");
    if (computed.length === 0) continue;
    const report = reports.get(id);
    if (report) note(report.account_id, computed);
    else elsewhere.set(id, [...(elsewhere.get(id) ?? []), ...computed]);
  }
  const ids = [...elsewhere.keys()];
  for (let start = 0; start < ids.length; start += IDS_PER_LOOK) {
    const links = await findAccountsOfUsers(database, organizationId, ids.slice(start, start + IDS_PER_LOOK));
    for (const { id, accountId } of links) note(accountId, elsewhere.get(id) ?? []);
  }
}

/** Stored events have got another name: what asks for it is computed for everybody again. */
async function refillRenamed(
  { database, lease }: NoteTouchedOptions,
  organizationId: string,
  index: ComputationIndex,
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
