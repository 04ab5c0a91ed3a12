import { Collapse, Group, Text } from "@mantine/core";
import type { SubjectType } from "@muster/protocol";
import type { Report } from "@muster/protocol/api/subjects";
import type { Predicate } from "@muster/query";
import { useNavigate } from "@tanstack/react-router";
import { Suspense, useCallback, useEffect, useMemo, useState } from "react";
import { useReportFields } from "../../api/audience/use-report-fields.js";
import { useSubjects } from "../../api/audience/use-subjects.js";
import { useHealth } from "../../api/organization/use-health.js";
import { useOrganization } from "../../api/session/use-organization.js";
import { completePart } from "../../filters/clauses.js";
import { useFilterSchema } from "../../filters/use-filter-schema.js";
import type { BulkSelection } from "../../jobs/bulk-selection.js";
import { ErrorNote } from "../../ui/page/error-note.js";
import { Freshness } from "../../ui/page/freshness.js";
import { Page } from "../../ui/page/page.js";
import { lazyPart } from "../../ui/state/lazy-part.js";
import { DataTable } from "../../ui/table/data-table.js";
import { formatCount } from "../../ui/text/format.js";
import { BulkActions } from "./bulk-actions.js";
import { ColumnsMenu } from "./columns-menu.js";
import { FilterChips } from "./filter-chips.js";
import { tableColumns } from "./list-columns.js";
import { NobodyFound } from "./nobody-found.js";
import { SearchBox } from "./search-box.js";
import classes from "./subject-list.module.css";
import { useListAddress } from "./use-list-address.js";
import { fieldsOf } from "./usual-list.js";
import { ViewsMenu } from "./views-menu.js";

const FilterBuilder = lazyPart(() => import("../../filters/filter-builder.js"), "FilterBuilder");

/** The list of users or accounts: searched as you type, filtered, with columns of choice. */
export function SubjectList({ target }: { target: SubjectType }) {
  const { id: org } = useOrganization();
  const navigate = useNavigate();
  const list = useListAddress(target);
  const { data: fields = [] } = useReportFields(target);
  const schema = useFilterSchema(target);
  const health = useHealth();
  const [isEditing, setEditing] = useState(false);
  // Clauses that are not complete yet are not in the address.
  const [draft, setDraft] = useState<Predicate>();
  // A view that is opened brings its own filter.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the view is the reason to forget the draft
  useEffect(() => setDraft(undefined), [list.viewId]);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const keys = list.columns.map(({ key }) => key);
  const found = useSubjects({
    target,
    text: list.text,
    predicate: list.predicate,
    sort: list.sort,
    fields: fieldsOf(list.columns),
  });
  const { data, isPlaceholderData, fetchNextPage, hasNextPage, isFetchingNextPage } = found;
  const rows = useMemo(() => data?.pages.flatMap((page) => page.rows) ?? [], [data]);
  const [first] = data?.pages ?? [];
  const total = first?.total;
  const columns = useMemo(
    () => tableColumns({ columns: list.columns, fields, target, org, segments: schema.segments }),
    [list.columns, fields, target, org, schema.segments],
  );
  const loadMore = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage && !isPlaceholderData) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, isPlaceholderData, fetchNextPage]);
  const open = ({ id }: Report) =>
    void navigate({ to: target === "user" ? "/o/$org/users/$id" : "/o/$org/accounts/$id", params: { org, id } });
  const toggle = (id: string) =>
    setSelected((before) => {
      const next = new Set(before);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  const changePredicate = (next: Parameters<typeof completePart>[0]) => {
    setDraft(next);
    list.setPredicate(completePart(next));
  };
  const everybody: BulkSelection | undefined = first && { target, query: first.query, count: first.total };
  const chosen: BulkSelection | undefined =
    selected.size === 0 ? undefined : { target, query: { terms: { id: [...selected] } }, count: selected.size };
  const isFiltered = list.text !== "" || Object.keys(list.predicate).length > 0;
  const name = target === "user" ? "Users" : "Accounts";

  return (
    <Page
      title={name}
      fills
      beside={
        total === undefined ? null : (
          <>
            <Text aria-live="polite" data-testid="total">
              {formatCount(total, target)}
            </Text>
            {first?.isIncomplete ? (
              <Text c="var(--late)">being filled again</Text>
            ) : (
              <Freshness behindMs={health.data?.behind_ms} asOf={health.dataUpdatedAt || undefined} />
            )}
          </>
        )
      }
      actions={
        <>
          <ViewsMenu target={target} list={list} />
          <ColumnsMenu
            fields={fields}
            columns={list.columns}
            onChange={list.setColumns}
            onReset={() => list.show({ columns: undefined })}
          />
          <BulkActions
            everybody={everybody}
            chosen={chosen}
            onClear={() => setSelected(new Set())}
            fields={keys}
            known={fields}
            predicate={list.text === "" && Object.keys(list.predicate).length > 0 ? list.predicate : undefined}
          />
        </>
      }
    >
      <Group className={classes.tools} gap="sm">
        <SearchBox
          label={`Search ${name.toLowerCase()}`}
          placeholder={target === "user" ? "Name, e-mail, ID or words" : "Name, domain or ID"}
          value={list.text}
          onChange={list.setText}
          onLeave={() => document.querySelector<HTMLElement>('[role="table"]')?.focus()}
        />
        <FilterChips
          target={target}
          predicate={list.predicate}
          schema={schema}
          isEditing={isEditing}
          onEdit={() => {
            setDraft(undefined);
            setEditing(!isEditing);
          }}
          onChange={changePredicate}
        />
      </Group>
      <Collapse expanded={isEditing} transitionDuration={0}>
        <div className={classes.builder}>
          {isEditing ? (
            <Suspense fallback={null}>
              <FilterBuilder
                target={target}
                value={draft ?? list.predicate}
                onChange={changePredicate}
                schema={schema}
              />
            </Suspense>
          ) : null}
        </div>
      </Collapse>
      {found.error ? <ErrorNote error={found.error} onRetry={() => void found.refetch()} /> : null}
      <DataTable
        label={name}
        columns={columns}
        rows={rows}
        rowKey={({ id }) => id}
        onOpen={open}
        sort={{ column: list.sort.key, direction: list.sort.direction }}
        onSort={({ column, direction }) => list.setSort({ key: column, direction })}
        selected={selected}
        onSelect={toggle}
        onResize={(key, width) =>
          list.setColumns(list.columns.map((column) => (column.key === key ? { key, width } : column)))
        }
        onEnd={loadMore}
        isOutdated={isPlaceholderData}
        empty={total === 0 ? <NobodyFound target={target} isFiltered={isFiltered} org={org} /> : null}
      />
    </Page>
  );
}
