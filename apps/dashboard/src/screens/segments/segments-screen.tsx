import { Button, SegmentedControl, Text } from "@mantine/core";
import type { Segment, SegmentUse } from "@muster/protocol/api/segments";
import { PlusIcon } from "@primer/octicons-react";
import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
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
import { inFolders, NoteFilters } from "./note-filters.js";
import { SegmentStatus } from "./segment-status.js";
import classes from "./segments.module.css";

const DAYS = 30;

interface Row {
  segment: Segment;
  sizes: readonly number[];
  entered: number;
  left: number;
  use: SegmentUse | undefined;
}

/** All segments: how large they are, how they moved, and who uses them. */
export function SegmentsScreen() {
  const { id: org } = useOrganization();
  const mayEdit = useMay("editor");
  const [of, setOf] = useUrlState("of", "user");
  const [folder, setFolder] = useUrlState("folder", "");
  const [tag, setTag] = useUrlState("tag", "");
  const { data: segments, error, refetch } = useSegments();
  const { data: charts } = useSegmentCharts(DAYS);
  const { data: uses } = useSegmentUses();
  const navigate = useNavigate();
  const rows = useMemo(() => {
    const shown = (segments ?? [])
      .filter((segment) => subjectTypeOf(segment) === of)
      .filter((segment) => folder === "" || segment.folder === folder)
      .filter((segment) => tag === "" || segment.tags.includes(tag));
    return inFolders(shown).map((segment): Row => {
      const points = charts?.segments.find(({ segment_id }) => segment_id === segment.id)?.points ?? [];
      const { entered = 0, left = 0 } = points.at(-1) ?? {};
      const use = uses?.find(({ segment_id }) => segment_id === segment.id);
      return { segment, sizes: points.map(({ size }) => size), entered, left, use };
    });
  }, [segments, charts, uses, of, folder, tag]);
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
          <SegmentedControl
            aria-label="Segments of"
            data={[
              { value: "user", label: "Users" },
              { value: "account", label: "Accounts" },
            ]}
            value={of}
            onChange={setOf}
          />
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
      {error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : null}
      <NoteFilters segments={own} folder={folder} onFolder={setFolder} tag={tag} onTag={setTag} />
      {segments && own.length === 0 ? (
        <EmptyState title={`No segments of ${of}s yet`} action={create}>
          A segment is a saved filter. Its members are kept up to date by themselves, and connectors can be set to send
          only them. <GuideLink page="segments">Read about segments</GuideLink>
        </EmptyState>
      ) : (
        <DataTable
          label="Segments"
          columns={columnsFor(
            org,
            own.some((segment) => segment.folder !== ""),
          )}
          rows={rows}
          rowKey={({ segment }) => segment.id}
          onOpen={({ segment }) => void navigate({ to: "/o/$org/segments/$id", params: { org, id: segment.id } })}
        />
      )}
    </Page>
  );
}

function columnsFor(org: string, hasFolders: boolean): DataColumn<Row>[] {
  return [
    {
      id: "name",
      header: "Name",
      width: 260,
      cell: ({ segment }) => (
        <TextLink to="/o/$org/segments/$id" params={{ org, id: segment.id }}>
          {segment.name}
        </TextLink>
      ),
    },
    ...(hasFolders ? [{ id: "folder", header: "Folder", width: 140, cell: ({ segment }: Row) => segment.folder }] : []),
    { id: "size", header: "Size", width: 100, align: "right", cell: ({ segment }) => <Size segment={segment} /> },
    {
      id: "trend",
      header: `Last ${DAYS} days`,
      width: 130,
      cell: ({ segment, sizes }) => (
        <Sparkline values={sizes} label={`Size of ${segment.name} in the last ${DAYS} days`} />
      ),
    },
    {
      id: "today",
      header: "Today",
      width: 120,
      align: "right",
      cell: ({ entered, left }) => <Moves entered={entered} left={left} />,
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
