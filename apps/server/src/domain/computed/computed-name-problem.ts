import { isConsent, type SubjectType } from "@muster/protocol";
import { isStandardField } from "@muster/query";
import { nameProblem } from "../attributes/name-problem.js";

/** Why no attribute of this name can be computed. */
export function computedNameProblem(subjectType: SubjectType, name: string): string | undefined {
  if (isStandardField(subjectType, name)) return "it is a standard field";
  // A computed value would replace what people have said themselves, and with it the proof of a refusal.
  if (isConsent(name)) return "only people themselves can say what they agree to";
  return nameProblem(subjectType, name);
}

/** The problem of a name in a sentence. */
export function computedNameProblemInWords(name: string, problem: string): string {
  return `"${name.slice(0, 256)}" cannot be computed: ${problem}.`;
}
