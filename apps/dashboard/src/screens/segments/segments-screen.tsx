import { Button, Text } from "@mantine/core";
import type { Segment, SegmentUse } from "@muster/protocol/api/segments";
import { ChevronDownIcon, ChevronRightIcon, PlusIcon } from "@primer/octicons-react";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import {
  sizeOf,
  subjectTypeOf,
  useSegmentCharts,
  useSegments,
  useSegmentUses,
} from "../../api/audience/use-segments.js";
import { useMay, useOrganization } from "../../api/session/use-organization.js";
import { NEW_SEGMENT } from "../../filters/draft-store.js";
import { Sparkline } from "../../ui/charts/sparkline.js";
import { EmptyState } from "../../ui/page/empty-state.js";
import { ErrorNote } from "../../ui/page/error-note.js";
import { GuideLink } from "../../ui/page/guide-link.js";
import { Page } from "../../ui/page/page.js";
import { TextLink } from "../../ui/page/text-link.js";
import { useUrlState } from "../../ui/state/use-url-state.js";
import { type DataColumn, DataTable } from "../../ui/table/data-table.js";
import { formatCount, formatNumber } from "../../ui/text/format.js";
import { chartDays } from "./chart-days.js";
import { byFolder, NoteFilters } from "./note-filters.js";
import { SegmentStatus } from "./segment-status.js";
import classes from "./segments.module.css";
import { TargetControl } from "./target-control.js";

interface SegmentRow {
  segment: Segment;
  sizes: readonly number[];
  /** How many entered and left today; undefined until it is known. */
  moves: Record<"entered" | "left", number> | undefined;
  use: SegmentUse | undefined;
}

/** The head of a folder, above its segments unless it is closed. */
interface FolderRow {
  folder: string;
  count: number;
  isOpen: boolean;
}

type Row = SegmentRow | FolderRow;

/** All segments: how large they are, how they moved, and who uses them. */
export function SegmentsScreen() {
  const { id: org } = useOrganization();
  const mayEdit = useMay("editor");
  const [of] = useUrlState("of", "user");
  const [folder, setFolder] = useUrlState("folder", "");
  const [tag, setTag] = useUrlState("tag", "");
  const [closedText, setClosed] = useUrlState("closed", "", { replace: true });
  const closed = useMemo(() => readClosed(closedText), [closedText]);
  const toggle = (name: string) => {
    const next = closed.includes(name) ? closed.filter((one) => one !== name) : [...closed, name];
    setClosed(next.length === 0 ? undefined : JSON.stringify(next));
  };
  const asked = useSegments();
  const { data: segments } = asked;
  const days = chartDays(segments?.length ?? 0);
  // How many days one answer can have depends on how many segments there are.
  const askedCharts = useSegmentCharts(days, { isEnabled: segments !== undefined });
  const { data: charts } = askedCharts;
  const askedUses = useSegmentUses();
  const { data: uses } = askedUses;
  const failed = [asked, askedCharts, askedUses].filter(({ error }) => error !== null);
  const navigate = useNavigate();
  // The folders and tags of the others are not those of these.
  const setOf = (next: string) =>
    void navigate({
      to: ".",
      search: (before) => ({ ...before, of: next === "user" ? undefined : next, folder: undefined, tag: undefined }),
    });
  const rows = useMemo(() => {
    const shown = (segments ?? [])
      .filter((segment) => subjectTypeOf(segment) === of)
      .filter((segment) => folder === "" || segment.folder === folder)
      .filter((segment) => tag === "" || segment.tags.includes(tag));
    const rowOf = (segment: Segment): SegmentRow => {
      const points = charts?.segments.find(({ segment_id }) => segment_id === segment.id)?.points ?? [];
      const { entered = 0, left = 0 } = points.at(-1) ?? {};
      const moves = charts && { entered, left };
      const use = uses?.find(({ segment_id }) => segment_id === segment.id);
      return { segment, sizes: points.map(({ size }) => size), moves, use };
    };
    return byFolder(shown).flatMap(({ folder: name, segments: inside }): Row[] => {
      if (name === "") return inside.map(rowOf);
      const isOpen = !closed.includes(name);
      return [{ folder: name, count: inside.length, isOpen }, ...(isOpen ? inside.map(rowOf) : [])];
    });
  }, [segments, charts, uses, of, folder, tag, closed]);
  const own = (segments ?? []).filter((segment) => subjectTypeOf(segment) === of);
  const create = (
    <Button
      leftSection={<PlusIcon size={14} />}
      disabled={!mayEdit}
      title={mayEdit ? undefined : "Only editors and owners can create segments."}
      onClick={() => void navigate({ to: "/o/$org/segments/$id", params: { org, id: NEW_SEGMENT }, search: { of } })}
    >
      New segment
    </Button>
  );
  return (
    <Page
      title="Segments"
      actions={
        <>
          <TargetControl value={of} onChange={setOf} />
          <Button
            variant="default"
            onClick={() => void navigate({ to: "/o/$org/segments/overlap", params: { org }, search: { of } })}
          >
            Overlap
          </Button>
          {create}
        </>
      }
      fills
    >
      {failed[0] ? (
        <ErrorNote error={failed[0].error} onRetry={() => void Promise.all(failed.map(({ refetch }) => refetch()))} />
      ) : null}
      <NoteFilters segments={own} folder={folder} onFolder={setFolder} tag={tag} onTag={setTag} />
      {segments && own.length === 0 ? (
        <EmptyState title={`No segments of ${of}s yet`} action={create}>
          A segment is a saved filter. Its members are kept up to date by themselves, and connectors can be set to send
          only them. <GuideLink page="segments">Read about segments</GuideLink>
        </EmptyState>
      ) : asked.error && !segments ? null : (
        <DataTable
          label="Segments"
          columns={columnsFor(org, days, toggle)}
          rows={rows}
          rowKey={(row) => (isFolder(row) ? `folder ${row.folder}` : row.segment.id)}
          onOpen={(row) =>
            isFolder(row)
              ? toggle(row.folder)
              : void navigate({ to: "/o/$org/segments/$id", params: { org, id: row.segment.id } })
          }
          empty={
            segments ? (
              <EmptyState title="No segment is found">
                No segment of {of}s {folder === "" ? "" : `is in the folder ${folder}`}
                {folder !== "" && tag !== "" ? " and " : ""}
                {tag === "" ? "" : `has the tag ${tag}`}.
              </EmptyState>
            ) : null
          }
        />
      )}
    </Page>
  );
}

/** The names of closed folders in the address, which may hold anything. */
function readClosed(text: string): string[] {
  try {
    const names: unknown = JSON.parse(text || "[]");
    return Array.isArray(names) ? names.map(String) : [];
  } catch {
    return [];
  }
}

function isFolder(row: Row): row is FolderRow {
  return "folder" in row;
}

function columnsFor(org: string, days: number, onToggle: (folder: string) => void): DataColumn<Row>[] {
  return [
    {
      id: "name",
      header: "Name",
      width: 260,
      cell: (row) =>
        isFolder(row) ? (
          <FolderHead row={row} onToggle={onToggle} />
        ) : (
          <TextLink to="/o/$org/segments/$id" params={{ org, id: row.segment.id }}>
            {row.segment.name}
          </TextLink>
        ),
    },
    ...segmentColumns(days).map(({ cell, ...column }) => ({
      ...column,
      cell: (row: Row) => (isFolder(row) ? null : cell(row)),
    })),
  ];
}

function FolderHead({
  row: { folder, count, isOpen },
  onToggle,
}: {
  row: FolderRow;
  onToggle: (name: string) => void;
}) {
  return (
    <button
      type="button"
      className={classes.folder}
      aria-expanded={isOpen}
      onClick={(event) => {
        // The row opens and closes too.
        event.stopPropagation();
        onToggle(folder);
      }}
    >
      {isOpen ? <ChevronDownIcon size={14} /> : <ChevronRightIcon size={14} />} {folder}{" "}
      <Text component="span" c="dimmed" size="sm">
        {formatNumber(count)}
      </Text>
    </button>
  );
}

function segmentColumns(days: number): (Omit<DataColumn<Row>, "cell"> & { cell: (row: SegmentRow) => ReactNode })[] {
  return [
    { id: "size", header: "Size", width: 100, align: "right", cell: ({ segment }) => <Size segment={segment} /> },
    {
      id: "trend",
      header: `Last ${days} days`,
      width: 130,
      cell: ({ segment, sizes }) => (
        <Sparkline values={sizes} label={`Size of ${segment.name} in the last ${days} days`} />
      ),
    },
    {
      id: "today",
      header: "Today",
      width: 120,
      align: "right",
      cell: ({ moves }) => (moves ? <Moves {...moves} /> : "…"),
    },
    {
      id: "status",
      header: "Status",
      width: 120,
      cell: ({ segment }) => <SegmentStatus segment={segment} />,
    },
    { id: "uses", header: "Used by", width: 200, cell: ({ use }) => <UsedBy use={use} /> },
  ];
}

/** A new segment has no size until everybody was compared with it, which is not the same as nobody. */
function Size({ segment }: { segment: Segment }) {
  if (segment.evaluated_at === null) return <span title="Its members are being found.">…</span>;
  return <>{formatNumber(sizeOf(segment))}</>;
}

function Moves({ entered, left }: { entered: number; left: number }) {
  if (entered === 0 && left === 0)
    return (
      <Text component="span" c="dimmed">
        no moves
      </Text>
    );
  return (
    <span>
      {entered > 0 ? <span className={classes.entering}>+{formatNumber(entered)}</span> : null}{" "}
      {left > 0 ? <span className={classes.leaving}>−{formatNumber(left)}</span> : null}
    </span>
  );
}

function UsedBy({ use }: { use: SegmentUse | undefined }) {
  if (!use) return null;
  const parts = [
    ...(use.connectors.length > 0 ? [use.connectors.map(({ name }) => name).join(", ")] : []),
    ...(use.segments.length > 0 ? [formatCount(use.segments.length, "segment")] : []),
  ];
  return parts.length === 0 ? (
    <Text component="span" c="dimmed">
      nobody
    </Text>
  ) : (
    <span>{parts.join(", ")}</span>
  );
}
