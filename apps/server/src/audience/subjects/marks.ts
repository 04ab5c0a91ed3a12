import { combineMarks, type UserMarkChanges, type UserMarks } from "../../domain/profiles/user-marks.js";
import type { Database } from "../../storage/postgres/database.js";
import { lockUser, readUserMarks, saveUserMarks } from "../../storage/postgres/profiles/user-marks.js";

/** The marks that admins give users. */
export class Marks {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async of(organizationId: string, userId: string): Promise<UserMarks> {
    const { own, former } = await readUserMarks(this.#database, organizationId, userId);
    return combineMarks(own, former);
  }

  /** Changes the given marks of a user. Returns false when the user is gone. */
  async change(organizationId: string, userId: string, changes: UserMarkChanges): Promise<boolean> {
    return this.#database.transaction(async (tx) => {
      if (!(await lockUser(tx, organizationId, userId))) return false;
      const { own, former } = await readUserMarks(tx, organizationId, userId);
      await saveUserMarks(tx, organizationId, userId, { ...combineMarks(own, former), ...changes });
      return true;
    });
  }
}
