/** Which rejected entries are meant. Every condition that is given must hold. */
export interface RejectedFilter {
  ids?: readonly number[];
  connectorId?: string;
  code?: string;
  /** The whole reason without the values of the entry, as lists of reasons show it. */
  reason?: string;
  /** A part of the entry as JSON, in any case: a name of an event, an identifier, a value. */
  text?: string;
  /** Whether the entry was retried. */
  isRetried?: boolean;
}
