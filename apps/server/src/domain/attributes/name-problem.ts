import { isStorableText, type SubjectType } from "@muster/protocol";
import { isKeptByMuster } from "./standard-fields.js";

export const MAX_ATTRIBUTE_NAME_LENGTH = 256;
const MAX_KNOWN_NAMES = 10_000;
const usableNames: Record<SubjectType, Set<string>> = { user: new Set(), account: new Set() };

/** Why a name cannot be that of an attribute. Usable names are remembered: few names occur, and each of them very often. */
export function nameProblem(subjectType: SubjectType, name: string): string | undefined {
  const usable = usableNames[subjectType];
  if (usable.has(name)) return undefined;
  const problem = findNameProblem(subjectType, name);
  if (problem !== undefined) return problem;
  if (usable.size >= MAX_KNOWN_NAMES) usable.clear();
  usable.add(name);
  return undefined;
}

function findNameProblem(subjectType: SubjectType, name: string): string | undefined {
  if (isKeptByMuster(subjectType, name)) return "Muster keeps this field itself";
  // Assigning this key to an object sets its prototype instead of a property.
  if (name === "__proto__") return "this cannot be the name of an attribute";
  if (name === "" || name.length > MAX_ATTRIBUTE_NAME_LENGTH)
    return `attribute names have 1 to ${MAX_ATTRIBUTE_NAME_LENGTH} characters`;
  if (hasControlCharacter(name)) return "attribute names have no control characters";
  return isStorableText(name) ? undefined : "attribute names have no half of a surrogate pair";
}

function hasControlCharacter(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) < 32) return true;
  return false;
}
