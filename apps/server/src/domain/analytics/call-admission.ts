import { invalid, type Refused } from "../entries/admit-entry.js";
import { type AdmittedEntry, EntryAdmission, type EntryBounds } from "../entries/entry-admission.js";
import { isTooDeep, MAX_DEPTH } from "../entries/unusable-json.js";
import { type CallRequest, hasMessageId, readCall } from "./read-call.js";

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
    this.isRepeatable &&= hasMessageId(given);
    return { active: false, quiet: entry.quiet === true, text: JSON.stringify(entry) };
  }
}
