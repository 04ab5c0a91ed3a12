// The public surface, by name. Records, bodies and answers of the REST API are in `@muster/protocol/api/<noun>`.

export { createdAtOfId, isId, type ObjectType, typeOfId } from "./api/object-ids.js";
export {
  type BatchAnswer,
  type BatchEntry,
  type BatchRefusalBody,
  type BatchRequest,
  ENTRY_TYPES,
  type EntryType,
  type EntryVerdict,
} from "./batch.js";
export { type Brand, createBrand, isDefaultBrand } from "./brand.js";
export {
  ACCOUNT_IDENTIFIERS,
  type AccountClaims,
  type AccountIdentifier,
  readClaims,
  type SubjectType,
  USER_IDENTIFIERS,
  type UserClaims,
  type UserIdentifier,
  type VerifiedClaims,
} from "./claims.js";
export { CONSENT_GROUP, consentAttribute, isConsent } from "./consents.js";
export { firstBytes } from "./helpers/first-bytes.js";
export { HmacKey } from "./hmac-key.js";
export { createId, deriveId } from "./id.js";
export { MUSTER_SOURCE } from "./muster-source.js";
export {
  type AccountDeleteMessage,
  type AccountUpdateMessage,
  CHANNELS,
  type Channel,
  type EventRecord,
  type FlowControl,
  MAX_REPORTED_BODY_BYTES,
  type MessageReport,
  type Notification,
  type NotificationAnswer,
  type SegmentChanges,
  type SegmentRecord,
  type SubjectRecord,
  type UserDeleteMessage,
  type UserUpdateMessage,
  type ValueChange,
} from "./notification.js";
export {
  REFUSAL_STATUS,
  Refusal,
  type RefusalBody,
  type RefusalCode,
  type RefusalDetail,
  type RefusalOptions,
  refusalBody,
} from "./refusal.js";
export { openSealedText, sealText } from "./sealed-text.js";
export { FIRST_MEMBER, SEGMENT_EVENTS } from "./segment-events.js";
export {
  type FilteredChanges,
  type FilteredSubject,
  IDENTIFYING_FIELDS,
  leftSegmentFilter,
  passesSegmentFilter,
  readSegmentFilter,
  type SegmentFilter,
  STANDARD_SEGMENTS,
} from "./segment-filter.js";
export { STANDARD_EVENTS, type StandardEvent, standardEvents } from "./standard-events.js";
export { isStorableText } from "./storable-text.js";
export { EARLIEST_STORED_MS, LATEST_STORED_MS, MAX_DATE_MS } from "./time-limits.js";
export { peekToken, signToken, type TokenPayload, verifyToken } from "./token.js";
export { decodeTokenPart, encodeTokenPart } from "./token-part.js";
export { SEGMENTS_CHANGED, USER_MERGED, USER_UNMERGED } from "./told-events.js";
export {
  hasUserAttributePrefix,
  withoutUserAttributePrefix,
  withUserAttributePrefix,
} from "./user-attribute-prefix.js";

// Helpers that more than one package needs. They are no part of the wire contract.

export { DAY_MS, HOUR_MS, MINUTE_MS } from "./helpers/durations.js";
export { foreignFile, isGzip } from "./helpers/foreign-file.js";
export { isObject } from "./helpers/is-object.js";
export { describeJsonFault } from "./helpers/json-fault.js";
export { nonEmptyText } from "./helpers/non-empty-text.js";
export { parseJson } from "./helpers/parse-json.js";
export { reasonOf } from "./helpers/reason-of.js";
export { NAMING_FIELDS, subjectNames } from "./helpers/subject-names.js";
export { writeLogLine } from "./helpers/write-log-line.js";
export { REPORTED_RESULTS } from "./reported-results.js";
