import type { Profile } from "../../domain/profiles/profile.js";
import type { UnprojectedChange } from "../buffers/change-buffer.js";

/**
 * Remembers which subjects messages have shown as PostgreSQL had them, which may be later than the changes that the
 * messages are about. What an earlier change brings along must not be shown after that: to a connector the subject would
 * go back in time.
 */
export class ShownStates {
  /** By organization and subject: the last change that the shown state can contain. */
  readonly #shown = new Map<string, Map<string, number>>();

  /** The profiles that changes bring along and that are not older than what was shown, by their id. */
  usable(organizationId: string, changes: readonly UnprojectedChange[]): Map<string, Profile> {
    const shown = this.#shown.get(organizationId);
    const profiles = new Map<string, Profile>();
    for (const { sequence, profiles: brought = [] } of changes) {
      for (const profile of brought) if ((shown?.get(profile.id) ?? 0) < sequence) profiles.set(profile.id, profile);
    }
    return profiles;
  }

  /**
   * Notes subjects that were read from PostgreSQL for a message.
   *
   * @param last The last change that the message is about.
   * @param head The last change in the log, which must be read after the subjects.
   */
  note(organizationId: string, ids: Iterable<string>, { last, head }: { last: number; head: number }): void {
    const shown = this.#shown.get(organizationId) ?? new Map<string, number>();
    for (const [id, sequence] of shown) if (sequence <= last) shown.delete(id);
    if (head > last) for (const id of ids) shown.set(id, head);
    if (shown.size === 0) this.#shown.delete(organizationId);
    else this.#shown.set(organizationId, shown);
  }
}
