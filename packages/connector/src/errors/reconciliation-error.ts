import { TransientError } from "./transient-error.js";

/**
 * A resource of the third party is out of sync with the organization. A new attempt can succeed after reconciliation, so
 * Muster sends the messages of a notification again after ten seconds at the earliest, and waits longer after each further
 * failure.
 *
 * @example
 * throw new ReconciliationError("The contact was deleted in the CRM.", { contactId });
 */
export class ReconciliationError extends TransientError {
  override readonly name = "ReconciliationError";
  override readonly code = "ERR_RECONCILIATION";
}
