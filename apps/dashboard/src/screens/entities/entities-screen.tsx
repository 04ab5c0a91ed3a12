import { Text } from "@mantine/core";
import type { Entity } from "@muster/protocol/api/entities";
import { useCallback, useMemo } from "react";
import { useEntities } from "../../api/audience/use-entities.js";
import { EmptyState } from "../../ui/page/empty-state.js";
import { ErrorNote } from "../../ui/page/error-note.js";
import { GuideLink } from "../../ui/page/guide-link.js";
import { Page } from "../../ui/page/page.js";
import { PageSkeleton } from "../../ui/page/skeleton.js";
import { useUrlState } from "../../ui/state/use-url-state.js";
import { type DataColumn, DataTable } from "../../ui/table/data-table.js";
import { FilterBar } from "../../ui/table/filter-bar.js";
import { FilterInput } from "../../ui/table/filter-input.js";
import { formatCount, formatNumber } from "../../ui/text/format.js";
import { TimeText } from "../../ui/text/time-text.js";
import { entityName } from "./entity-name.js";
import { EntityPanel } from "./entity-panel.js";

const actionsOf = ({ stats }: Entity) => Object.values(stats.actions).reduce((sum, count) => sum + count, 0);

const COLUMNS: DataColumn<Entity>[] = [
  { id: "name", header: "Entity", width: 300, cell: entityName, text: entityName },
  { id: "type", header: "Type", width: 120, cell: ({ type }) => type, text: ({ type }) => type },
  { id: "uid", header: "Uid", width: 260, cell: ({ uid }) => uid, text: ({ uid }) => uid },
  {
    id: "actions",
    header: "Events",
    width: 100,
    align: "right",
    cell: (entity) => formatNumber(actionsOf(entity)),
  },
  { id: "likes", header: "Likes", width: 90, align: "right", cell: ({ stats }) => formatNumber(stats.likes) },
  { id: "updated", header: "Updated", width: 130, cell: ({ updated_at }) => <TimeText time={updated_at} /> },
];

/** The things that users act on: articles, products, pages. */
export function EntitiesScreen() {
  const [text] = useUrlState("q");
  const [opened, setOpened] = useUrlState("entity");
  const entities = useEntities(text);
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage, isPlaceholderData } = entities;
  const rows = useMemo(() => (data?.pages ?? []).flatMap((page) => page.entities), [data]);
  const onEnd = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [fetchNextPage, hasNextPage, isFetchingNextPage]);
  const total = data?.pages[0]?.total;
  return (
    <Page title="Entities" fills>
      <FilterBar>
        <FilterInput name="q" label="Name, uid, address, type or tag" w={280} />
        {total === undefined ? null : <Text c="dimmed">{formatCount(total, "entity", "entities")}</Text>}
      </FilterBar>
      {error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : null}
      {data ? (
        <DataTable
          label="Entities"
          columns={COLUMNS}
          rows={rows}
          rowKey={({ id }) => id}
          onOpen={({ id }) => setOpened(id)}
          onEnd={onEnd}
          isOutdated={isPlaceholderData}
          empty={<Nothing isFiltered={text !== ""} />}
        />
      ) : error ? null : (
        <PageSkeleton />
      )}
      <EntityPanel id={opened} onClose={() => setOpened(undefined)} />
    </Page>
  );
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) {
    return <EmptyState title="No entity fits">The whole name, uid, address, type or tag is compared.</EmptyState>;
  }
  return (
    <EmptyState title="No entities yet">
      An entity is a thing that users act on, such as an article or a product. It is made by the first event that names
      it with entity_id or entity_url. <GuideLink page="attributes-and-events">Read about events</GuideLink>
    </EmptyState>
  );
}
