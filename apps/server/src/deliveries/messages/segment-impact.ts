import type { SegmentFilter, SubjectType } from "@muster/protocol";
import type { SegmentImpact as Impact } from "@muster/protocol/api/segments";
import type { Search } from "../../audience/search/search.js";
import type { CheckedDraft, SegmentDraft, SegmentDrafts } from "../../audience/search/segment-drafts.js";
import type { ConnectorDirectory, ListedConnector } from "../../connectors/connector-directory.js";
import { segmentFilterQuery } from "../../domain/delivery/segment-filter-query.js";
import { channelName } from "../../domain/delivery/subscription.js";

export interface SegmentImpactOptions {
  search: Search;
  drafts: SegmentDrafts;
  directory: ConnectorDirectory;
}

type Count = (subjectType: SubjectType, query: Record<string, unknown>) => Promise<number>;

/** Says what would happen if a segment were saved: who moves, and how many messages connectors get about it. */
export class SegmentImpact {
  readonly #options: SegmentImpactOptions;

  constructor(options: SegmentImpactOptions) {
    this.#options = options;
  }

  /** Undefined when there is no such saved segment. */
  async of(organizationId: string, draft: SegmentDraft): Promise<Impact | undefined> {
    const { search, drafts, directory } = this.#options;
    const checked = await drafts.check(organizationId, draft);
    if (!checked) return undefined;
    const counts = new Map<string, Promise<number>>();
    // Many connectors have the same filter, so a question is asked only once.
    const count: Count = (subjectType, query) => {
      const key = `${subjectType} ${JSON.stringify(query)}`;
      const asked = counts.get(key) ?? search.count(organizationId, subjectType, query, draft);
      counts.set(key, asked);
      return asked;
    };
    const { subjectType, query, entering, leaving } = checked;
    const [total, sizeAfter, entered, left] = await Promise.all([
      count(subjectType, {}),
      count(subjectType, query),
      count(subjectType, entering),
      leaving ? count(subjectType, leaving) : 0,
    ]);
    const connectors = await Promise.all(
      directory.subscribersOf(organizationId).map(async (listed) => ({
        id: listed.connector.id,
        name: listed.connector.name,
        enabled: listed.connector.enabled,
        messages: entered + left === 0 ? 0 : await countMessages(listed, checked, draft.segmentId, count),
      })),
    );
    return {
      total,
      size_before: sizeAfter - entered + left,
      size_after: sizeAfter,
      entering: entered,
      leaving: left,
      share: total === 0 ? 0 : (entered + left) / total,
      connectors: connectors.filter(({ messages }) => messages > 0).sort((one, other) => other.messages - one.messages),
    };
  }
}

/** How many messages a connector gets about those who move: one for each of its subscriptions that lets the mover pass. */
async function countMessages(
  { connector, subscriptions }: ListedConnector,
  { subjectType, entering, leaving }: CheckedDraft,
  segmentId: string | undefined,
  count: Count,
): Promise<number> {
  const moving = leaving ? { bool: { should: [entering, leaving] } } : entering;
  const about = async (kind: SubjectType, movers: Record<string, unknown>, filter: SegmentFilter | undefined) => {
    // A filter by the segment itself lets a subject pass in both directions: as a member, or because it has just left.
    const passesAll = kind === subjectType && segmentId !== undefined && filter?.has(segmentId);
    const passing = passesAll ? undefined : segmentFilterQuery(filter, kind);
    return count(kind, passing ? { bool: { must: [movers, passing] } } : movers);
  };
  const numbers = await Promise.all(
    subscriptions.flatMap((subscription) => {
      const { filters } = subscription;
      const takes = (kind: SubjectType) => channelName(subscription, `${kind}:update`) !== undefined;
      const own = takes(subjectType) ? [about(subjectType, moving, filters[subjectType])] : [];
      // When an account moves, some connectors are told of its users too.
      const ofUsers =
        subjectType === "account" && connector.notifyUsersOfAccount && takes("user")
          ? [about("user", { has_parent: { parent_type: "account", query: moving } }, filters.user)]
          : [];
      return [...own, ...ofUsers];
    }),
  );
  return numbers.reduce((sum, number) => sum + number, 0);
}
