import type { Transaction } from "../database.js";

/** The right to do a piece of work, which another process cannot have at the same time. */
export interface WorkLease {
  /** Whether no other process has had the work since this one had it last. */
  isContinued: boolean;
  /** Whether this process knows that another one has taken over. */
  isLost(): boolean;
  /**
   * Whether the lease of this process still runs, as far as it knows without asking. Must be looked at before something
   * is done that no transaction can take back, such as a call.
   */
  isValid(): boolean;
  /**
   * Throws when another process has taken over the work, which it can when the lease of this one has expired. Must be
   * called in each transaction that saves results of the work. Until that transaction ends, nobody can take over.
   */
  confirm(tx: Transaction): Promise<void>;
}
