import { randomUUID } from "node:crypto";
import { type Channel, Refusal, type SubjectType, typeOfId } from "@muster/protocol";
import type { SampleMessage, TestedMessage } from "@muster/protocol/api/deliveries";
import type { Search } from "../../audience/search/search.js";
import { loadSegmentLists, type WholeLists } from "../../audience/segments/segment-lists.js";
import { loadSubjectStates, type SubjectStatesOptions } from "../../audience/subjects/subject-states.js";
import type { ConnectorDirectory, ListedConnector } from "../../connectors/connector-directory.js";
import type { Connector } from "../../domain/connectors/connector.js";
import { objectIdOf, type StoredUpdate, snapshotMessages, TEST_MESSAGE } from "../../domain/delivery/message.js";
import { segmentFilterQuery } from "../../domain/delivery/segment-filter-query.js";
import { channelName, type Subscription } from "../../domain/delivery/subscription.js";
import { tailorMessage } from "../../domain/delivery/tailor-message.js";
import { type Agreements, missingConsents, withheldReason } from "../../domain/purposes/withheld.js";
import type { Database } from "../../storage/postgres/database.js";
import { type CallOptions, callPlain, prepareSmart, tailored } from "./call-connector.js";
import type { CallPermit } from "./call-permit.js";
import type { DeliveryTraces } from "./delivery-traces.js";

export interface TestMessagesOptions extends Omit<CallOptions, "signal">, SubjectStatesOptions {
  database: Database;
  directory: ConnectorDirectory;
  search: Search;
  callPermit: CallPermit;
  traces: DeliveryTraces;
}

/** A message about somebody as it would be sent now. */
interface Prepared {
  listed: ListedConnector;
  subscription: Subscription;
  channel: string;
  message: StoredUpdate;
  lists: WholeLists;
  agreements: Agreements;
}

/**
 * Shows what a connector would be sent about a user or account, and sends it to this connector alone. It is sent like the
 * message of an export: with everything that is known and without changes, whatever the filters say. It is not queued, not
 * repeated, and not in the figures; it leaves a trace, because the connector treats it like any other message.
 */
export class TestMessages {
  readonly #options: TestMessagesOptions;

  constructor(options: TestMessagesOptions) {
    this.#options = options;
  }

  async sample(connector: Connector, entityId: string | undefined): Promise<SampleMessage> {
    return this.#describe(await this.#prepare(connector, entityId));
  }

  async send(connector: Connector, entityId: string | undefined): Promise<TestedMessage> {
    const { callPermit, traces } = this.#options;
    if (!connector.enabled) throw new Refusal("connector_disabled", "Switch the connector on before you test it.");
    if (await callPermit.held()) {
      throw new Refusal("unavailable", "No connector is called since this server was restored from a backup.");
    }
    const prepared = await this.#prepare(connector, entityId);
    const { purposes } = prepared.listed.connector;
    const missing = missingConsents(prepared.message, purposes, prepared.agreements);
    if (missing.length > 0) throw new Refusal("conflict", withheldReason(missing));
    const report = await this.#call(prepared);
    await traces.note(connector.organizationId, connector.id, prepared.channel, report);
    const { kind, answer: told, reason, isReported } = report.results[0]!;
    return {
      ...this.#describe(prepared),
      notification_id: report.request.notification_id,
      result: kind,
      reported: isReported,
      reason,
      status: told?.status ?? 0,
      body: isReported ? (told?.body ?? "") : "",
      answer: report.answer,
      duration_ms: Math.round(report.durationMs),
    };
  }

  async #call({ listed, subscription, channel, message, lists }: Prepared) {
    const options = { ...this.#options, signal: new AbortController().signal };
    const head = { url: subscription.url, channel, isExport: true };
    if (!listed.isSmart) return callPlain(options, listed, head, message, lists);
    const { segments, accounts_segments } = lists;
    const call = await prepareSmart(
      options,
      listed,
      { ...head, messages: [message] },
      { all: lists, sent: { segments, accounts_segments } },
      0,
    );
    return call();
  }

  #describe({ listed, subscription, channel, message, lists }: Prepared): SampleMessage {
    const { brand } = this.#options;
    const { url } = subscription;
    const [sent] = tailored(listed, { url, isExport: true, messages: [message] }, lists, brand);
    const filtered = tailorMessage(message, subscription, lists.byId, brand.eventSource) as { matchesFilter?: boolean };
    return {
      entity_id: objectIdOf(message),
      entity_type: message.kind,
      channel,
      url,
      message: sent!,
      passes_filter: filtered.matchesFilter !== false,
    };
  }

  async #prepare(connector: Connector, entityId: string | undefined): Promise<Prepared> {
    const { database, directory } = this.#options;
    const { organizationId, id, name } = connector;
    if (!directory.find(id)) await directory.refresh();
    const listed = directory.find(id);
    if (!listed || connector.sourceUrl === null) {
      throw new Refusal("conflict", `${name} has no address that messages could be sent to.`);
    }
    const subjectType = subjectTypeOf(entityId) ?? (subscriptionTo(listed, "user") ? "user" : "account");
    const found = subscriptionTo(listed, subjectType);
    if (!found) {
      const about = entityId === undefined ? "users or accounts" : `${subjectType}s`;
      throw new Refusal(
        "conflict",
        `${name} has no subscription to changes of ${about}, so it is sent no messages about them.`,
      );
    }
    const subjectId = entityId ?? (await this.#somebody(organizationId, subjectType, found.subscription));
    const wanted = { user: [], account: [], [subjectType]: [subjectId] };
    const { purposes } = listed.connector;
    const { states, agreements } = await loadSubjectStates(this.#options, organizationId, wanted, { purposes });
    const [message] = snapshotMessages(subjectType, [subjectId], states, `${TEST_MESSAGE}${randomUUID()}`);
    if (!message) throw new Refusal("not_found", `There is no ${subjectType} "${subjectId.slice(0, 100)}".`);
    return { listed, ...found, message, agreements, lists: await loadSegmentLists(database, organizationId) };
  }

  /** Somebody who passes the filter of the subscription: the one who changed last. */
  async #somebody(organizationId: string, subjectType: SubjectType, { filters }: Subscription): Promise<string> {
    const { data } = await this.#options.search.search(organizationId, subjectType, {
      query: segmentFilterQuery(filters[subjectType], subjectType) ?? {},
      sort: { updated_at: "desc" },
      page: 1,
      perPage: 1,
      include: ["id"],
    });
    const [first] = data as { id: string }[];
    if (!first) {
      throw new Refusal("not_found", `No ${subjectType} passes the filter of this connector. Choose one yourself.`);
    }
    return first.id;
  }
}

function subjectTypeOf(id: string | undefined): SubjectType | undefined {
  if (id === undefined) return undefined;
  const type = typeOfId(id);
  if (type === "user" || type === "account") return type;
  throw new Refusal("invalid_parameter", "This is not the id of a user or account.");
}

/** The first subscription that takes changes of users or accounts, and the name of the channel for it. */
function subscriptionTo(
  { subscriptions }: ListedConnector,
  subjectType: SubjectType,
): { subscription: Subscription; channel: string } | undefined {
  const wanted: Channel = `${subjectType}:update`;
  for (const subscription of subscriptions) {
    const channel = channelName(subscription, wanted);
    if (channel !== undefined) return { subscription, channel };
  }
  return undefined;
}
