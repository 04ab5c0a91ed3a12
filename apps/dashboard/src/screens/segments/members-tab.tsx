import type { SubjectType } from "@muster/protocol";
import type { Segment } from "@muster/protocol/api/segments";
import type { Report } from "@muster/protocol/api/subjects";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import { sizeOf, subjectTypeOf } from "../../api/audience/use-segments.js";
import { answer, api } from "../../api/client.js";
import { useOrganization } from "../../api/session/use-organization.js";
import { EmptyState } from "../../ui/page/empty-state.js";
import { ErrorNote } from "../../ui/page/error-note.js";
import { type DataColumn, DataTable } from "../../ui/table/data-table.js";
import { TimeText } from "../../ui/text/time-text.js";
import { SubjectLink } from "./subject-link.js";

const PER_PAGE = 100;

const textOf = (value: unknown) => (typeof value === "string" ? value : "");

const COLUMNS: Record<SubjectType, DataColumn<Report>[]> = {
  user: [
    {
      id: "name",
      header: "User",
      width: 220,
      cell: (report) => <SubjectLink report={report} subjectType="user" />,
    },
    { id: "email", header: "E-mail", width: 260, cell: ({ email }) => textOf(email) },
    { id: "external_id", header: "External ID", width: 160, cell: ({ external_id: id }) => textOf(id) },
    {
      id: "last_seen",
      header: "Last seen",
      width: 130,
      cell: ({ last_seen_at: at }) => <TimeText time={textOf(at)} />,
    },
    { id: "created", header: "Created", width: 130, cell: ({ created_at: at }) => <TimeText time={textOf(at)} /> },
  ],
  account: [
    {
      id: "name",
      header: "Account",
      width: 220,
      cell: (report) => <SubjectLink report={report} subjectType="account" />,
    },
    { id: "domain", header: "Domain", width: 220, cell: ({ domain }) => textOf(domain) },
    { id: "external_id", header: "External ID", width: 160, cell: ({ external_id: id }) => textOf(id) },
    { id: "created", header: "Created", width: 130, cell: ({ created_at: at }) => <TimeText time={textOf(at)} /> },
  ],
};

/** The members of a segment, the newest first. */
export function MembersTab({ segment }: { segment: Segment }) {
  const { id: org } = useOrganization();
  const navigate = useNavigate();
  const subjectType = subjectTypeOf(segment);
  const members = useInfiniteQuery({
    // Members that an evaluation has found since are read too.
    queryKey: [org, "segment-members", segment.id, segment.evaluated],
    queryFn: ({ pageParam, signal }) => readPage(segment, pageParam, signal),
    initialPageParam: undefined as unknown,
    getNextPageParam: ({ data, pagination }) =>
      data.length < PER_PAGE ? undefined : (pagination as { search_after?: unknown }).search_after,
  });
  // The reports of the API have an id and free keys.
  const rows = useMemo(() => (members.data?.pages ?? []).flatMap(({ data }) => data), [members.data]);
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = members;
  const onEnd = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [fetchNextPage, hasNextPage, isFetchingNextPage]);
  if (members.error) return <ErrorNote error={members.error} onRetry={() => void members.refetch()} />;
  return (
    <DataTable
      label={`Members of ${segment.name}`}
      columns={COLUMNS[subjectType]}
      rows={rows}
      rowKey={({ id }) => id}
      onOpen={({ id }) => void navigate({ to: `/o/$org/${subjectType}s/$id`, params: { org, id } })}
      onEnd={onEnd}
      empty={
        members.isSuccess ? (
          <EmptyState title={emptyTitle(segment)}>
            Members enter by themselves as soon as they match the filter.
          </EmptyState>
        ) : null
      }
    />
  );
}

function emptyTitle(segment: Segment): string {
  if (!segment.evaluated && segment.status === "ok") return "The members are being found";
  return sizeOf(segment) === 0 ? "Nobody is in this segment" : "No members were found";
}

function readPage(segment: Segment, after: unknown, signal: AbortSignal) {
  const body = {
    query: { term: { segment_ids: segment.id } },
    sort: { created_at: "desc" as const },
    per_page: PER_PAGE,
    // The cursor is passed back as it came.
    ...(after === undefined ? {} : { search_after: after }),
  };
  return answer(
    subjectTypeOf(segment) === "account"
      ? api.POST("/api/v1/search/account_reports", { body, signal })
      : api.POST("/api/v1/search/user_reports", { body, signal }),
  );
}
