/** The largest distance from 1970, in milliseconds, that a JavaScript `Date` can have. */
export const MAX_DATE_MS = 8.64e15;

/** The first and the last moment that every question engine can store: the range of ClickHouse's DateTime64. */
export const EARLIEST_STORED_MS = Date.UTC(1900, 0, 1);
export const LATEST_STORED_MS = Date.UTC(2299, 11, 31, 23, 59, 59, 999);
