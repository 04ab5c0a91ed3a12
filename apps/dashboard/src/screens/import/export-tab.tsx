import { Button, Group, MultiSelect, SegmentedControl, Select, Stack, Text } from "@mantine/core";
import { EXTRACTED_EVENT_FIELDS } from "@muster/protocol/api/file-fields";
import type { JobObject } from "@muster/protocol/api/jobs";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { type ReportField, useReportFields } from "../../api/audience/use-report-fields.js";
import { useSegmentsOf } from "../../api/audience/use-segments-of.js";
import { useJob, useJobChanges } from "../../api/jobs/use-jobs.js";
import { useMay } from "../../api/session/use-organization.js";
import { type FileFormat, FormatControl } from "../../jobs/format-control.js";
import { JobOutcome } from "../../jobs/job-outcome.js";
import { JobProgress } from "../../jobs/job-progress.js";
import { ErrorNote } from "../../ui/page/error-note.js";
import { useUrlState } from "../../ui/state/use-url-state.js";
import { attributeName, fieldName, labelOf } from "../../ui/text/words.js";

/** A file of users, accounts or events: whom, which columns, which format. */
export function ExportTab() {
  const mayChange = useMay("editor");
  const navigate = useNavigate();
  const [given] = useUrlState("object", "users");
  const object: JobObject = given === "accounts" || given === "events" ? given : "users";
  const [segment, setSegment] = useUrlState("segment");
  const [jobId, setJobId] = useUrlState("extract");
  const [format, setFormat] = useState<FileFormat>("csv");
  const [fields, setFields] = useState<string[]>([]);
  const fieldsRead = useReportFields(object === "accounts" ? "account" : "user");
  const segmentsRead = useSegmentsOf(object === "accounts" ? "account" : "user");
  const { data: known = [] } = fieldsRead;
  const { data: segments = [] } = segmentsRead;
  const { extract } = useJobChanges();
  const { data: job } = useJob(jobId || undefined);
  const choices =
    object === "events"
      ? [...EXTRACTED_EVENT_FIELDS]
      : known.map(({ key }) => ({ value: key, label: choiceOf(key, known) }));
  const chosen = object === "events" ? undefined : segments.find(({ id }) => id === segment);
  // As long as the segment in the address is not known, everybody would be written instead of its members.
  const isReady = segment === "" || object === "events" || chosen !== undefined;
  const start = () =>
    extract.mutate(
      {
        object,
        format,
        query: chosen ? { term: { segment_ids: chosen.id } } : { match_all: {} },
        ...(format !== "json" && fields.length > 0 ? { fields } : {}),
        ...(chosen ? { name: `${chosen.name}.${format}` } : {}),
      },
      { onSuccess: ({ id }) => setJobId(id) },
    );
  return (
    <Stack maw={640}>
      <Group>
        <Text id="export-object">What to write</Text>
        <SegmentedControl
          aria-labelledby="export-object"
          value={object}
          onChange={(value) => {
            setFields([]);
            // A segment of users has no accounts.
            void navigate({
              to: ".",
              search: (before) => ({ ...before, object: value === "users" ? undefined : value, segment: undefined }),
            });
          }}
          data={[
            { value: "users", label: "Users" },
            { value: "accounts", label: "Accounts" },
            { value: "events", label: "Events" },
          ]}
        />
      </Group>
      {object === "events" ? null : (
        <Select
          label="Who"
          placeholder={`All ${object}`}
          data={[
            ...segments.map(({ id, name }) => ({ value: id, label: name })),
            // It stays chosen until somebody takes it away.
            ...(isReady ? [] : [{ value: segment, label: segmentsRead.data ? "A segment that is not there" : "…" }]),
          ]}
          value={segment === "" ? null : segment}
          onChange={(value) => setSegment(value ?? undefined)}
          searchable
          clearable
        />
      )}
      <Group>
        <Text id="export-format">Format</Text>
        <FormatControl format={format} onChange={setFormat} labelledBy="export-format" />
      </Group>
      {format !== "json" ? (
        <MultiSelect
          label="Columns"
          placeholder={fields.length === 0 ? "All fields" : ""}
          data={choices}
          value={fields}
          onChange={setFields}
          searchable
          clearable
        />
      ) : (
        <Text c="dimmed">A JSON file has all fields.</Text>
      )}
      {segmentsRead.error && object !== "events" ? (
        <ErrorNote error={segmentsRead.error} onRetry={() => void segmentsRead.refetch()} />
      ) : null}
      {fieldsRead.error && object !== "events" ? (
        <ErrorNote error={fieldsRead.error} onRetry={() => void fieldsRead.refetch()} />
      ) : null}
      {extract.error ? <ErrorNote error={extract.error} /> : null}
      <Group>
        <Button disabled={!mayChange || !isReady} loading={extract.isPending} onClick={start}>
          Write the file
        </Button>
        {mayChange ? null : <Text c="dimmed">Your role lets you look at this only.</Text>}
      </Group>
      {job ? (
        <>
          <JobProgress job={job} what="Writing the file" />
          <JobOutcome job={job} />
        </>
      ) : null}
    </Stack>
  );
}

/** A field by what people call it, with its name beside it when it is another one. */
function choiceOf(key: string, fields: readonly ReportField[]): string {
  const label = labelOf(key, fields);
  return label === fieldName(key) ? label : `${label} (${attributeName(key)})`;
}
