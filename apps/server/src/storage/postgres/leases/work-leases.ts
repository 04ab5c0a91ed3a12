import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Logger } from "pino";
import { Loop } from "../../../runtime/loops/loop.js";
import { VERSION } from "../../../runtime/version.js";
import type { Database } from "../database.js";
import type { WakeUps } from "../wake-ups.js";
import { elapsedMs, type LeaseClock, type Moment, now, SYSTEM_CLOCK } from "./lease-clock.js";
import { alwaysWriting, type OtherHolder, removeHolder, removePredecessors, renewHolder } from "./lease-holders.js";
import { LeaseLost } from "./lease-lost.js";
import { preferredHolder } from "./preferred-holder.js";
import type { SharedRenewal } from "./shared-renewal.js";
import type { WorkLease } from "./work-lease.js";

export interface WorkLeasesOptions {
  database: Database;
  logger: Logger;
  /** Names this holder and the one that replaces it after a restart. No two that run have the same name. */
  place: string;
  /** Tells other processes what has changed, and is told by them. */
  wakeUps: WakeUps;
  /** How long a lease runs without being renewed. */
  leaseMs?: number;
  /** The id of this holder, when another thread renews its leases too, and what the two share. */
  kept?: { holderId: string; shared: SharedRenewal };
  clock?: LeaseClock;
}

interface HeldWork {
  work: string;
  organizationId: string;
  token: string;
  lease: WorkLease;
}

export const LEASE_MS = 6_000;
export const RENEWALS_PER_LEASE = 3;
// Far shorter than the silence after which a thread is taken for dead.
const BEAT_EVERY_MS = 2_000;

// A process that is paused in the middle of the transaction must not hold up the one that takes over for longer.
const IDLE_MS = 10_000;
const CONFIRM = `
  select set_config('idle_in_transaction_session_timeout', '${IDLE_MS}', true)
  from work_claims
  where organization_id = $1 and work = $2 and token = $3
  for share`;

/**
 * Leases on named work that only one process may do at a time. All leases of a process run out together when it has not
 * renewed them for some seconds, by the clock of the database. Another process can take the work then. Work of a role is
 * shared out among the processes that have joined it.
 */
export class WorkLeases {
  readonly #options: WorkLeasesOptions;
  readonly #id: string;
  readonly #clock: LeaseClock;
  readonly #leaseMs: number;
  readonly #roles = new Set<string>();
  readonly #held = new Map<string, HeldWork>();
  readonly #taking = new Map<string, Promise<WorkLease | undefined>>();
  /** The token with which this process had each work last. */
  readonly #tokens = new Map<string, string>();
  readonly #listeners = new Set<() => void>();
  readonly #loop: Loop;
  #others: readonly OtherHolder[] = [];
  /** Whether each piece of work should be here, as long as the same holders live. */
  readonly #isMine = new Map<string, boolean>();
  /** When the last renewal by this thread that succeeded was begun. */
  #renewedAt: Moment = { monotonicMs: Number.NEGATIVE_INFINITY, wallMs: Number.NEGATIVE_INFINITY };
  #stopBeating: (() => void) | undefined;
  /** Whether others do not know yet that this holder has joined or left a role. */
  #hasNewRoles = false;
  /** Whether another process has said that something has changed. */
  #hasNews = false;

  constructor(options: WorkLeasesOptions) {
    this.#options = options;
    this.#id = options.kept?.holderId ?? randomUUID();
    this.#clock = options.clock ?? SYSTEM_CLOCK;
    this.#leaseMs = options.leaseMs ?? LEASE_MS;
    const everyMs = this.#leaseMs / RENEWALS_PER_LEASE;
    this.#loop = new Loop({
      step: async () => {
        await this.#renew();
        if (this.#hasNewRoles) this.#tellOthers();
        this.#hasNewRoles = false;
        return everyMs;
      },
      onError: (error) => options.logger.warn({ err: error }, "leases on work could not be renewed"),
      lastRetryMs: everyMs,
    });
  }

  /** Makes this holder known. Nothing can be taken before. */
  async start(): Promise<void> {
    this.#options.wakeUps.on("holders", () => {
      this.#hasNews = true;
      this.#loop.wake();
    });
    await removePredecessors(this.#options.database, this.#row);
    await this.#renew();
    this.#stopBeating = this.#options.kept?.shared.beatEvery(BEAT_EVERY_MS);
    this.#loop.start({ afterMs: this.#leaseMs / RENEWALS_PER_LEASE });
  }

  /** Ends all leases, so that others can take the work at once. The work must have stopped. */
  async close(): Promise<void> {
    this.#stopBeating?.();
    await this.#loop.stop();
    this.#held.clear();
    this.#listeners.clear();
    const { database, logger } = this.#options;
    await removeHolder(database, this.#id).catch((error: unknown) => {
      logger.warn({ err: error }, "leases on work could not be given back, and run out by themselves");
    });
  }

  /** Takes a share of the work of a role from now on. */
  join(role: string): void {
    if (this.#roles.has(role)) return;
    this.#roles.add(role);
    this.#isMine.clear();
    this.#hasNewRoles = true;
    this.#loop.wake();
  }

  /** Takes no more work of a role. Others get it once they notice, and once it is released. */
  leave(role: string): void {
    if (!this.#roles.delete(role)) return;
    this.#isMine.clear();
    this.#hasNewRoles = true;
    this.#loop.wake();
  }

  /** Calls `listener` when other work than before should be here, or when leases were lost. Returns a way to end this. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Whether this process should have a piece of work of a role. It must give it back when this is not so any more. */
  isMine(role: string, work: string, organizationId = ""): boolean {
    const key = `${role} ${keyOf(work, organizationId)}`;
    const known = this.#isMine.get(key);
    if (known !== undefined) return known;
    const holders = this.#others.filter(({ roles }) => roles.includes(role)).map(({ id }) => id);
    if (this.#roles.has(role)) holders.push(this.#id);
    const isMine = preferredHolder(holders, key) === this.#id;
    this.#isMine.set(key, isMine);
    return isMine;
  }

  /** Whether other processes have joined one of the roles. */
  hasOthers(...roles: readonly string[]): boolean {
    return this.#others.some(
      (other) => processOf(other) !== processOf(this.#options) && roles.some((role) => other.roles.includes(role)),
    );
  }

  /**
   * Tries to take the lease of a piece of work. Returns the lease when this process has it, also when it had it before.
   * Work that is not about one organization has none.
   */
  async take(work: string, organizationId = ""): Promise<WorkLease | undefined> {
    const key = keyOf(work, organizationId);
    const held = this.#held.get(key);
    if (held) return held.lease;
    // Two concurrent calls would write two tokens, and the first token would be invalid.
    const taking = this.#taking.get(key) ?? this.#take(work, organizationId).finally(() => this.#taking.delete(key));
    this.#taking.set(key, taking);
    return taking;
  }

  async release(work: string, organizationId = ""): Promise<void> {
    const key = keyOf(work, organizationId);
    if (!this.#held.delete(key)) return;
    await alwaysWriting(this.#options.database, (tx) =>
      tx.query("update work_claims set holder = null where organization_id = $1 and work = $2 and token = $3", [
        organizationId,
        work,
        this.#tokens.get(key),
      ]),
    );
    this.#tellOthers();
  }

  /** Releases a piece of work of all organizations in one statement. */
  async releaseAll(work: string): Promise<void> {
    for (const [key, held] of this.#held) if (held.work === work) this.#held.delete(key);
    await alwaysWriting(this.#options.database, (tx) =>
      tx.query("update work_claims set holder = null where holder = $1 and work = $2", [this.#id, work]),
    );
    this.#tellOthers();
  }

  /** The organizations of which this process has a piece of work. */
  heldOf(work: string): string[] {
    return [...this.#held.values()].filter((held) => held.work === work).map(({ organizationId }) => organizationId);
  }

  /** Makes the next `take` take the work again. */
  forget(work: string, organizationId = ""): void {
    const key = keyOf(work, organizationId);
    this.#held.delete(key);
    this.#tokens.delete(key);
  }

  get #row() {
    const { place } = this.#options;
    return { id: this.#id, place, roles: [...this.#roles], host: hostname(), version: VERSION };
  }

  #isValid(): boolean {
    if (elapsedMs(this.#clock, this.#renewedAt) < this.#leaseMs) return true;
    const { kept } = this.#options;
    return kept !== undefined && elapsedMs(this.#clock, kept.shared.renewedAt) < this.#leaseMs;
  }

  async #renew(): Promise<void> {
    const { database } = this.#options;
    const begunAt = now(this.#clock);
    const hasNews = this.#hasNews;
    this.#hasNews = false;
    const { others, tokens } = await renewHolder(database, this.#row, this.#leaseMs);
    const hasLost = tokens !== undefined && this.#forgetLost(tokens);
    this.#renewedAt = begunAt;
    this.#options.kept?.shared.renewed(begunAt);
    const isChanged = describe(others) !== describe(this.#others);
    if (isChanged) {
      this.#others = others;
      this.#isMine.clear();
    }
    if (isChanged || hasLost || hasNews) this.#tell();
  }

  /** Forgets the work that other processes have taken after the leases had expired. Returns whether there is any. */
  #forgetLost(present: ReadonlySet<string>): boolean {
    const lost = [...this.#held].filter(([, { token }]) => !present.has(token));
    for (const [key] of lost) this.#held.delete(key);
    return lost.length > 0;
  }

  #tellOthers(): void {
    if (this.#others.length > 0) this.#options.wakeUps.tell("holders");
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Writes the token of this process. This waits for a transaction of the previous holder that is about to be committed. */
  async #take(work: string, organizationId: string): Promise<WorkLease | undefined> {
    const key = keyOf(work, organizationId);
    // The process was paused, or busy for long.
    if (!this.#isValid()) await this.#renew();
    const held = this.#held.get(key);
    if (held) return held.lease;
    const before = this.#tokens.get(key);
    const token = await this.#writeToken(work, organizationId, before);
    if (token === undefined) return undefined;
    this.#tokens.set(key, token);
    const isHeld = () => this.#held.get(key)?.token === token;
    const lease: WorkLease = {
      isContinued: token === before,
      isLost: () => !isHeld(),
      isValid: () => isHeld() && this.#isValid(),
      confirm: async (tx) => {
        const { rowCount } = await tx.query(CONFIRM, [organizationId, work, token]);
        if (rowCount === 1) return;
        if (isHeld()) this.#held.delete(key);
        throw new LeaseLost(key);
      },
    };
    this.#held.set(key, { work, organizationId, token, lease: { ...lease, isContinued: true } });
    return lease;
  }

  /** Returns the token that is written now: the one before when nobody else has had the work, undefined when somebody has it. */
  async #writeToken(work: string, organizationId: string, before: string | undefined): Promise<string | undefined> {
    return alwaysWriting(this.#options.database, async (tx) => {
      const { rows } = await tx.query<{ token: string }>(
        `insert into work_claims as present (organization_id, work, token, holder)
         values ($1, $2, $3, $4)
         on conflict (organization_id, work) do update
         set token = case when present.token = $5 then present.token else excluded.token end,
             holder = excluded.holder
         where present.holder is null
           or present.holder = excluded.holder
           or not exists (
             select
             from lease_holders
             where id = present.holder and expires_at > clock_timestamp()
           )
         returning token`,
        [organizationId, work, randomUUID(), this.#id, before ?? null],
      );
      return rows[0]?.token;
    });
  }
}

/** The holders of a process have places that begin with the same word. */
function processOf({ place }: { place: string }): string | undefined {
  return place.split(" ")[0];
}

function describe(holders: readonly OtherHolder[]): string {
  return holders
    .map(({ id, roles }) => `${id} ${[...roles].sort().join(" ")}`)
    .sort()
    .join("\n");
}

function keyOf(work: string, organizationId: string): string {
  return organizationId === "" ? work : `${work} of ${organizationId}`;
}
