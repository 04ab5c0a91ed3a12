import type { LoggedChange } from "../../storage/postgres/changes/changes.js";
import { goneIds } from "../project/prepare-changes.js";

/** Subjects whose memberships may have changed. */
export interface TouchedSubjects {
  user: ReadonlySet<string>;
  account: ReadonlySet<string>;
  /** Accounts that did not change themselves, but got events of their users or lost some. */
  activeAccount: ReadonlySet<string>;
  /** Subjects among the touched ones that do not exist any more. */
  gone: ReadonlySet<string>;
}

/** The subjects whose segments may have changed. Changes that evaluation itself has made touch nobody. */
export function touchedBy(changes: readonly LoggedChange[]): TouchedSubjects {
  const user = new Set<string>();
  const account = new Set<string>();
  const activeAccount = new Set<string>();
  for (const { change } of changes) {
    for (const { id } of change.users) user.add(id);
    for (const { id } of change.accounts) account.add(id);
    for (const { user_id, account_id } of change.events) {
      if (user_id !== "") user.add(user_id);
      if (account_id !== null) activeAccount.add(account_id);
    }
    for (const { userId, accountId } of change.lost ?? []) {
      if (userId !== null) user.add(userId);
      if (accountId !== null) activeAccount.add(accountId);
    }
  }
  const goneUsers = goneIds("user", changes);
  const goneAccounts = goneIds("account", changes);
  for (const id of goneUsers) user.add(id);
  for (const id of goneAccounts) account.add(id);
  return { user, account, activeAccount, gone: new Set([...goneUsers, ...goneAccounts]) };
}
