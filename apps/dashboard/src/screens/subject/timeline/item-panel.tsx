import { Stack, Text, Title } from "@mantine/core";
import type { SubjectType } from "@muster/protocol";
import type { TimelineItem } from "@muster/protocol/api/history";
import { notifyManager, useQueryClient } from "@tanstack/react-query";
import { useCallback, useSyncExternalStore } from "react";
import { subjectKey } from "../../../api/audience/use-subject.js";
import { useOrganization } from "../../../api/session/use-organization.js";
import { formatTime } from "../../../ui/text/format.js";
import { TimeText } from "../../../ui/text/time-text.js";
import { type AttributeLabel, useAttributeLabels } from "../use-attribute-labels.js";
import { DeliveryDetails } from "./delivery-details.js";
import { describeItem } from "./describe-item.js";
import { ChangeDetails, EventDetails, MergeDetails, UnmergeDetails } from "./item-details.js";

/** The details of one item. It is looked up among those that the page has read. */
export function ItemPanel({ type, id, itemId }: { type: SubjectType; id: string; itemId: string }) {
  const item = useLoadedItem(id, itemId);
  const labelOf = useAttributeLabels(type);
  if (!item) {
    return (
      <Text c="dimmed">
        This item is not among those that are shown. Remove filters, or choose “Show earlier” until it appears.
      </Text>
    );
  }
  return (
    <Stack>
      <div>
        <Title order={2} style={{ overflowWrap: "anywhere", whiteSpace: "pre-wrap" }}>
          {describeItem(item, labelOf).title}
        </Title>
        <Text c="dimmed">
          {formatTime(item.at)} (<TimeText time={item.at} />)
        </Text>
      </div>
      <Details item={item} labelOf={labelOf} />
    </Stack>
  );
}

function Details({ item, labelOf }: { item: TimelineItem; labelOf: AttributeLabel }) {
  switch (item.kind) {
    case "event":
      return <EventDetails item={item} />;
    case "change":
      return <ChangeDetails item={item} labelOf={labelOf} />;
    case "delivery":
      return <DeliveryDetails item={item} />;
    case "merge":
      return <MergeDetails item={item} />;
    case "unmerge":
      return <UnmergeDetails item={item} />;
    case "segment":
      return <Text>Segment {item.segment_name}. Its chip at the top of the page says why.</Text>;
    case "comment":
      return <Text>{describeItem(item).details === "" ? "Its author is not known." : `By ${item.author_name}.`}</Text>;
  }
}

interface TimelineData {
  items?: TimelineItem[];
  pages?: { items: TimelineItem[] }[];
}

/** Items of the timeline are in the memory of the queries, by page. The item appears here when its page is read. */
function useLoadedItem(id: string, itemId: string): TimelineItem | undefined {
  const { id: org } = useOrganization();
  const client = useQueryClient();
  const subscribe = useCallback(
    (onChange: () => void) => client.getQueryCache().subscribe(notifyManager.batchCalls(onChange)),
    [client],
  );
  return useSyncExternalStore(subscribe, () => {
    const queries = client.getQueriesData<TimelineData>({ queryKey: [...subjectKey(org, id), "timeline"] });
    const items = queries.flatMap(([, data]) => [
      ...(data?.items ?? []),
      ...(data?.pages?.flatMap((page) => page.items) ?? []),
    ]);
    return items.find((item) => item.id === itemId);
  });
}
