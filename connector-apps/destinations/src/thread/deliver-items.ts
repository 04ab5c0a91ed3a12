import type { Mapping } from "../mapping/mapping.js";
import type { RunnableDestination } from "../package/definition.js";
import type { CallTime } from "./call-time.js";
import type { Account, DeliverItem, ItemOutcome, ThreadCalls } from "./calls.js";
import { describeExchange } from "./describe-exchange.js";
import type { DestinationRunner } from "./destination-runner.js";
import { hideInReason } from "./hide-secrets.js";
import type { Outcome } from "./outcome.js";
import { kindOfStatus, outcomeOfError } from "./outcome-of-error.js";
import { fieldsOf } from "./payload-of.js";

type Deliver = ThreadCalls["deliver"];

/** How many calls of one connector run at once. */
const CONCURRENCY = 5;
/** The most events in a batch, unless the mapping says less. */
const MAX_BATCH = 1_000;
const DEFAULT_WAIT_MS = 60_000;
const NO_TIME = "The service is slow: there was no more time in this call.";

/** An event and a mapping that it triggers, with the place of its outcome. */
interface Work {
  item: DeliverItem;
  mapping: Mapping;
  payload: Record<string, unknown>;
  settle(outcome: Outcome): void;
}

/**
 * Sends events with the mappings that they trigger: in batches where the action and the mapping allow it, else one by one. What
 * a slow service has no time for is sent with the next call. When it has taken nothing in that time, the call waits on, until it
 * is ended: then a message is to blame.
 */
export async function deliverItems(
  runner: DestinationRunner,
  { account, mappings, items }: Deliver["input"],
  time: CallTime,
): Promise<Deliver["output"]> {
  const outcomes: ItemOutcome[][] = items.map(() => []);
  const open = new Set<Work>();
  let isAnswered = false;
  let hasProgress = false;
  const { destination, settings } = runner.open(account);
  const send: Sender = { runner, destination, settings, account, time };
  const planned = mappings.map((mapping) =>
    items.flatMap((item, index): Work[] => {
      if (item.done.includes(mapping.id) || !runner.isTriggered(mapping, item.event)) return [];
      const note = (outcome: Outcome) => outcomes[index]!.push({ mapping: mapping.id, outcome });
      const { payload, problem = "", isIncomplete } = runner.payload(mapping, item.event);
      if (problem !== "") {
        note({ kind: isIncomplete ? "skipped" : "refused", reason: hideInReason(problem, account.secrets) });
        return [];
      }
      const work: Work = {
        item,
        mapping,
        payload,
        settle(outcome) {
          if (isAnswered) return;
          open.delete(work);
          hasProgress = true;
          note(outcome);
        },
      };
      open.add(work);
      return [work];
    }),
  );
  const sending = sendAll(send, planned);
  await time.waitFor(sending);
  if (!hasProgress) await sending;
  for (const { settle } of [...open]) settle({ kind: "retry", reason: NO_TIME });
  isAnswered = true;
  return outcomes;
}

async function sendAll(send: Sender, planned: readonly (readonly Work[])[]): Promise<void> {
  for (const works of planned) {
    const [first] = works;
    const inBatches = first && works.length > 1 && isBatched(send.runner, first);
    if (!inBatches) await sendEach(send, works);
    else for (const batch of batchesOf(works)) if (send.time.mayBegin) await sendBatch(send, batch);
  }
}

interface Sender {
  runner: DestinationRunner;
  destination: RunnableDestination;
  settings: Record<string, unknown>;
  account: Account;
  time: CallTime;
}

/** The mapping decides with a field of the package; an action without that field has batches whenever it can. */
function isBatched({ definition }: DestinationRunner, { mapping, payload }: Work): boolean {
  const { performBatch, fields } = definition.actions[mapping.action] ?? {};
  if (performBatch === undefined) return false;
  return fields?.enable_batching === undefined || payload.enable_batching === true;
}

/** The events of a batch have the same values in the fields that the mapping names in `batch_keys`. */
function batchesOf(works: readonly Work[]): Work[][] {
  const groups = new Map<string, Work[]>();
  for (const work of works) {
    const { batch_keys: keys } = work.payload;
    const names: unknown[] = Array.isArray(keys) ? keys : [];
    const key = JSON.stringify(names.map((name) => work.payload[String(name)]));
    groups.set(key, [...(groups.get(key) ?? []), work]);
  }
  return [...groups.values()].flatMap((group) => {
    const size = Math.min(MAX_BATCH, Math.max(1, Number(group[0]?.payload.batch_size) || MAX_BATCH));
    return Array.from({ length: Math.ceil(group.length / size) }, (_each, index) =>
      group.slice(index * size, (index + 1) * size),
    );
  });
}

async function sendBatch(sender: Sender, works: readonly Work[]): Promise<void> {
  const { runner, destination, settings, account } = sender;
  const [first] = works;
  if (!first) return;
  const subscription = subscriptionOf(runner, first.mapping);
  await runner.answers.run({}, async () => {
    try {
      const [result] = await destination.onBatch(
        works.map(({ item }) => item.event),
        { ...settings, subscription },
      );
      const exchange = lastExchange(runner, account);
      for (const [index, { settle }] of works.entries()) {
        const { status = 200, errormessage } = result?.multistatus?.[index] ?? {};
        const kind = kindOfStatus(status);
        const limit = kind === "limited" ? { clearsAt: Date.now() + DEFAULT_WAIT_MS } : {};
        const reason = errormessage === undefined ? {} : { reason: hideInReason(errormessage, account.secrets) };
        settle({ kind, status, ...reason, ...exchange, ...limit });
      }
    } catch (error) {
      const outcome = described(runner, account, error);
      // The service may refuse a batch for one of its events. Alone, the others are taken.
      if (outcome.kind === "refused" && works.length > 1) await sendEach(sender, works);
      else for (const { settle } of works) settle(outcome);
    }
  });
}

/** The events of one user or account are sent in their order. */
async function sendEach(sender: Sender, works: readonly Work[]): Promise<void> {
  const bySubject = groupBySubject(works);
  const waiting = [...bySubject.values()];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      for (const each of next) if (sender.time.mayBegin) await sendOne(sender, each);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
}

async function sendOne(
  { runner, destination, settings, account }: Sender,
  { item, mapping, settle }: Work,
): Promise<void> {
  await runner.answers.run({}, async () => {
    try {
      await destination.onEvent(item.event, { ...settings, subscription: subscriptionOf(runner, mapping) });
      const status = runner.answers.getStore()?.last?.status;
      settle({ kind: "accepted", ...(status === undefined ? {} : { status }), ...lastExchange(runner, account) });
    } catch (error) {
      settle(described(runner, account, error));
    }
  });
}

function subscriptionOf({ definition }: DestinationRunner, mapping: Mapping): object {
  return {
    partnerAction: mapping.action,
    name: mapping.name,
    subscribe: mapping.trigger,
    mapping: fieldsOf(mapping, definition),
  };
}

function described(runner: DestinationRunner, account: Account, error: unknown): Outcome {
  const outcome = outcomeOfError(error, Date.now());
  const reason = hideInReason(outcome.reason ?? "", account.secrets);
  return { ...outcome, reason, ...lastExchange(runner, account) };
}

function lastExchange(runner: DestinationRunner, { secrets }: Account): { exchange?: string } {
  const last = runner.answers.getStore()?.last;
  return last ? { exchange: describeExchange(last, secrets) } : {};
}

function groupBySubject(works: readonly Work[]): Map<string, Work[]> {
  const groups = new Map<string, Work[]>();
  for (const work of works) {
    const group = groups.get(work.item.subject);
    if (group) group.push(work);
    else groups.set(work.item.subject, [work]);
  }
  return groups;
}
