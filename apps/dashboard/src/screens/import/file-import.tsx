import { Stack, Text } from "@mantine/core";
import type { Delimiter } from "@muster/protocol/api/imports";
import type { JobObject } from "@muster/protocol/api/jobs";
import { useEffect, useState } from "react";
import { type ImportRequest, useInspection } from "../../api/jobs/use-import.js";
import { ErrorNote } from "../../ui/page/error-note.js";
import { formatCount } from "../../ui/text/format.js";
import { choiceProblem, mappedColumns, suggestedChoices } from "./column-mapping.js";
import { FileForm } from "./file-form.js";
import { EMPTY_DRAFT, type ImportDraft, keepDraft, readDraft } from "./import-draft.js";
import { extraParameters, extrasProblem } from "./import-extras.js";
import { ImportOptions } from "./import-options.js";
import { ImportRun } from "./import-run.js";
import { MappingTable } from "./mapping-table.js";
import { MoreOptions } from "./more-options.js";

interface FileImportProps {
  object: JobObject;
  file: string;
  name: string;
  dryRunId: string | undefined;
  jobId: string | undefined;
  onDryRun: (id: string | undefined) => void;
  onImport: (id: string) => void;
}

/** A chosen file: its columns and what becomes of them, then the dry run and the import. */
export function FileImport({ object, file, name, dryRunId, jobId, onDryRun, onImport }: FileImportProps) {
  const [stored] = useState(() => readDraft(file, object));
  const [draft, setDraft] = useState<ImportDraft>(stored ?? EMPTY_DRAFT);
  // A dry run that was made in another tab may be of other choices.
  const [isOwnDryRun, setOwnDryRun] = useState(stored !== undefined);
  const { options, choices, eventName, switches, extras } = draft;
  // The upload of an import that has begun is gone, so there is nothing to look at.
  const { data, error, refetch, isPlaceholderData } = useInspection(jobId === undefined ? file : "", object, options);
  useEffect(() => {
    if (data && !isPlaceholderData && !choices) setDraft({ ...draft, choices: suggestedChoices(data.columns) });
  }, [data, isPlaceholderData, choices, draft]);
  useEffect(() => keepDraft(file, object, draft), [file, object, draft]);
  /** What a dry run has counted is not true any more after a change. */
  const change = (part: Partial<ImportDraft>) => {
    setDraft({ ...draft, ...part });
    if (dryRunId !== undefined) onDryRun(undefined);
  };

  if (jobId !== undefined) return <ImportRun jobId={jobId} dryRunId={dryRunId} />;
  if (error) return <ErrorNote error={error} onRetry={() => void refetch()} />;
  if (!data || !choices) return <Text c="dimmed">Reading the beginning of the file…</Text>;
  const request: Omit<ImportRequest, "dryRun"> = {
    object,
    url: file,
    name,
    format: data.format,
    columns: mappedColumns(object, choices, eventName),
    ...switches,
    ...extraParameters(object, extras),
    ...(data.format === "csv" ? { delimiter: data.delimiter as Delimiter, header: data.header } : {}),
  };
  const problem = choiceProblem(object, choices, eventName) ?? extrasProblem(extras, Date.now());
  return (
    <Stack gap="md">
      <FileForm
        file={data}
        options={options}
        // Other columns need other choices.
        onChange={(next) => change({ options: next, choices: undefined })}
      />
      <Text c="dimmed">
        {data.is_whole
          ? `${formatCount(data.sampled_rows, "row")}, ${formatCount(data.columns.length, "column")}.`
          : `${formatCount(data.columns.length, "column")}; the types are guessed from the first ${formatCount(data.sampled_rows, "row")}.`}
      </Text>
      <MappingTable
        object={object}
        columns={data.columns}
        choices={choices}
        onChange={(next) => change({ choices: next })}
      />
      <ImportOptions
        object={object}
        switches={switches}
        onSwitches={(next) => change({ switches: next })}
        eventName={eventName}
        onEventName={(next) => change({ eventName: next })}
        hasEventColumn={choices.some(({ to, name }) => to === "field" && name === "event")}
      />
      <MoreOptions object={object} extras={extras} onChange={(next) => change({ extras: next })} />
      <ImportRun
        request={request}
        problem={problem}
        dryRunId={isOwnDryRun ? dryRunId : undefined}
        onDryRun={(id) => {
          setOwnDryRun(true);
          onDryRun(id);
        }}
        onImport={onImport}
      />
    </Stack>
  );
}
