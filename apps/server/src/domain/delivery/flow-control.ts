import { DAY_MS, type FlowControl, isObject } from "@muster/protocol";

/** The largest number of messages in a call, even if a connector asks for more. */
const MAX_SIZE = 10_000;
/** The longest wait that a connector may ask for. */
const MAX_WAIT_MS = DAY_MS;
/** A larger unix time must be in milliseconds: in seconds it would be after the year 5138. */
const LARGEST_SECONDS = 1e11;

/** The flow control in the answer of a connector, undefined when there is none. Parts that cannot be used are left out. */
export function readFlowControl(answer: unknown): FlowControl | undefined {
  const given = isObject(answer) ? answer.flow_control : undefined;
  if (!isObject(given)) return undefined;
  const size = numberIn(given.size);
  const wait = numberIn(given.in);
  const fill = numberIn(given.in_time);
  const at = timeIn(given.at);
  return {
    type: given.type === "retry" ? "retry" : "next",
    ...(size === undefined || size < 1 ? {} : { size: Math.min(Math.floor(size), MAX_SIZE) }),
    ...(wait === undefined || wait < 0 ? {} : { in: Math.min(wait, MAX_WAIT_MS) }),
    ...(fill === undefined || fill < 0 ? {} : { in_time: Math.min(fill, MAX_WAIT_MS) }),
    ...(at === undefined ? {} : { at }),
    ...(given.until === "ship:update" ? { until: given.until } : {}),
  };
}

/** When the next call may be made. */
export function nextCallAt(flow: FlowControl | undefined, now: number): number {
  const byDelay = now + (flow?.in ?? 0);
  const byTime = flow?.at === undefined ? now : Math.min(flow.at * 1_000, now + MAX_WAIT_MS);
  return Math.max(byDelay, byTime);
}

function numberIn(value: unknown): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

/** A unix time in seconds, from seconds, milliseconds or a date. */
function timeIn(value: unknown): number | undefined {
  const number = numberIn(value);
  if (number !== undefined) return number > LARGEST_SECONDS ? number / 1_000 : number;
  const date = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : date / 1_000;
}
