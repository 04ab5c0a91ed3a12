import { consentAttribute, isConsent } from "@muster/protocol";
import type { Cell, Profile, Said } from "../profiles/profile.js";
import { outranks } from "./proof.js";

/**
 * What a person has agreed to is a boolean attribute of the user for each purpose: `consents/marketing`. It has agreed
 * only if the value is true.
 *
 * Proof decides here as everywhere (`domain/identity/proof.ts`), with one exception: a withdrawal needs no proof. So a
 * consent keeps two things apart, what was said last with proof and what was said last without:
 *
 * 1. Where only one of the two exists, it counts.
 * 2. What was said with proof counts, unless a browser has withdrawn since then.
 * 3. A browser that agrees again takes back its own withdrawal, and never one that has proof.
 *
 * Of each of the two the newest is kept, so the result does not depend on the order of arrival.
 */
export function joinConsents(one: Cell | undefined, other: Cell): Cell {
  const said = [one, one?.beside, other, other.beside].filter((each) => each !== undefined);
  const proved = newest(said.filter(({ written }) => !written.unproved));
  const hinted = newest(said.filter(({ written }) => written.unproved));
  if (!proved) return hinted!;
  if (!hinted) return proved;
  const isWithdrawn = proved.value === true && hinted.value !== true && hinted.written.at >= proved.written.at;
  return isWithdrawn ? { ...hinted, beside: proved } : { ...proved, beside: hinted };
}

/** The cell that is left of two writes of one attribute, whichever came first. */
export function joinCells(name: string, one: Cell | undefined, other: Cell): Cell {
  if (isConsent(name)) return joinConsents(one, other);
  return one && !outranks(other.written, one.written) ? one : other;
}

/** Those of the purposes that a user has agreed to. */
export function agreedPurposes(profile: Profile, purposes: Iterable<string>): Set<string> {
  return new Set([...purposes].filter((purpose) => profile.cells.get(consentAttribute(purpose))?.value === true));
}

/** At the same time a withdrawal counts, whichever came first. */
function newest(said: readonly Said[]): Said | undefined {
  const [first, ...rest] = said;
  const found = rest.reduce<Said | undefined>((best, each) => {
    if (!best) return each;
    const isLater = each.written.at > best.written.at;
    const isSafer = each.written.at === best.written.at && each.value !== true;
    return isLater || isSafer ? each : best;
  }, first);
  return found && { value: found.value, written: found.written };
}
