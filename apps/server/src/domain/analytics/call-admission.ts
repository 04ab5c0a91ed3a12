import { invalid, MAX_VALUES, type Refused } from "../entries/admit-entry.js";
import { type AdmittedEntry, EntryAdmission, type EntryBounds } from "../entries/entry-admission.js";
import { eventSizeProblem } from "../entries/event-size.js";
import { holdsMoreThan, isTooDeep, MAX_DEPTH } from "../entries/unusable-json.js";
import type { SharedFields } from "./call.js";
import { messageIdOf } from "./message-id.js";
import { type CallRequest, readCall } from "./read-call.js";

/** Admits analytics calls. */
export class CallAdmission extends EntryAdmission {
  /** Whether every call that was admitted can be recognised when it is sent again. */
  isRepeatable = true;
  readonly #request: CallRequest;

  constructor(request: CallRequest) {
    super();
    this.#request = request;
  }

  protected override admit(given: unknown, { values, depth }: EntryBounds): AdmittedEntry | Refused {
    if (depth > MAX_DEPTH && isTooDeep(given)) return invalid("The call is nested too deep.");
    const entry = readCall(given, this.#request, values);
    if ("code" in entry) return entry;
    if (values > MAX_VALUES && holdsMoreThan(entry.context, MAX_VALUES)) {
      return invalid(`The context of a call holds at most ${MAX_VALUES} values.`);
    }
    const text = JSON.stringify(entry);
    // Also when the call itself is small: numbers may be written longer than they were sent.
    const tooLarge = eventSizeProblem(entry, text);
    if (tooLarge) return invalid(tooLarge);
    this.isRepeatable &&= messageIdOf(given) !== undefined;
    return { active: false, quiet: entry.quiet === true, text };
  }
}

/** What a batch says for all of its calls is stored with each of them. So the two together are limited. */
const MAX_SHARED_BYTES = 2 * 1024 * 1024;

/** Why the fields that a batch says for all of its calls cannot be used. */
export function sharedProblem({ context, integrations }: SharedFields, calls: number): string | undefined {
  const shared = [context ?? null, integrations ?? null];
  if (isTooDeep(shared)) return "The context of the batch is nested too deep.";
  if (holdsMoreThan(shared, MAX_VALUES)) return `The context of the batch holds at most ${MAX_VALUES} values.`;
  const bytes = Buffer.byteLength(JSON.stringify(shared));
  return bytes * calls > MAX_SHARED_BYTES
    ? "The context of the batch is too large for so many calls: put it into those that need it."
    : undefined;
}
