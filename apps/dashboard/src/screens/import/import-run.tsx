import { Button, Group, Stack, Text, Title } from "@mantine/core";
import { useState } from "react";
import { type ImportRequest, useStartImport } from "../../api/jobs/use-import.js";
import { hasEnded, useJob } from "../../api/jobs/use-jobs.js";
import { useMay } from "../../api/session/use-organization.js";
import { JobProgress } from "../../jobs/job-progress.js";
import { canceledSentence, importSentence } from "../../jobs/job-words.js";
import { RefusedRows } from "../../jobs/refused-rows.js";
import { UndoJob } from "../../jobs/undo-job.js";
import { ErrorNote } from "../../ui/page/error-note.js";
import { formatCount } from "../../ui/text/format.js";

interface ImportRunProps {
  /** What to import; left out once the import has begun. */
  request?: Omit<ImportRequest, "dryRun">;
  /** What must be chosen first. */
  problem?: string | undefined;
  dryRunId: string | undefined;
  jobId?: string;
  onDryRun?: (id: string) => void;
  onImport?: (id: string) => void;
}

/** The dry run, then the import: what would happen, what happens, what has happened. */
export function ImportRun({ request, problem, dryRunId, jobId, onDryRun, onImport }: ImportRunProps) {
  const mayChange = useMay("editor");
  const start = useStartImport();
  const { data: dryRun } = useJob(jobId === undefined ? dryRunId : undefined);
  const { data: job, error: unread, refetch } = useJob(jobId);
  // Until the address names the job, a second click would begin the same again.
  const [begun, setBegun] = useState<"check" | "import">();
  const check = () => {
    if (!request) return;
    setBegun("check");
    start.mutate(
      { ...request, dryRun: true },
      { onSuccess: ({ id }) => onDryRun?.(id), onSettled: () => setBegun(undefined) },
    );
  };
  const importAll = () => {
    if (!request) return;
    setBegun("import");
    start.mutate(
      { ...request, dryRun: false },
      { onSuccess: ({ id }) => onImport?.(id), onError: () => setBegun(undefined) },
    );
  };
  if (job) {
    return (
      <Stack gap="sm">
        <JobProgress job={job} what="Importing" />
        {job.status === "completed" ? (
          <>
            <Title order={2}>Imported</Title>
            <Text aria-live="polite">{importSentence(job)}</Text>
            <Group>
              <UndoJob job={job} />
            </Group>
          </>
        ) : null}
        {job.status === "failed" ? <ErrorNote error={new Error(job.error ?? "The import failed.")} /> : null}
        {job.status === "canceled" ? <Text>{canceledSentence(job)}</Text> : null}
        <RefusedRows job={job} />
      </Stack>
    );
  }
  // Without its job, nobody knows whether the import has begun, so nothing is offered that would begin it again.
  if (jobId !== undefined) {
    return unread ? (
      <ErrorNote error={unread} onRetry={() => void refetch()} />
    ) : (
      <Text c="dimmed">Reading how far the import is…</Text>
    );
  }
  const isChecked = dryRun?.status === "completed";
  const refused = Number(dryRun?.result?.refused ?? 0);
  const taken = Number(dryRun?.result?.records ?? 0) - refused;
  return (
    <Stack gap="sm">
      {problem === undefined ? null : <Text c="var(--late)">{problem}</Text>}
      {dryRun ? <JobProgress job={dryRun} what="Checking the whole file" /> : null}
      {isChecked ? (
        <>
          <Title order={2}>What will happen</Title>
          <Text aria-live="polite" data-testid="dry-run">
            {importSentence(dryRun)}
          </Text>
          <RefusedRows job={dryRun} />
        </>
      ) : null}
      {dryRun?.status === "failed" ? <ErrorNote error={new Error(dryRun.error ?? "The dry run failed.")} /> : null}
      {start.error ? <ErrorNote error={start.error} /> : null}
      <Group>
        <Button
          variant={isChecked ? "default" : "filled"}
          disabled={
            problem !== undefined || !mayChange || begun === "import" || (dryRun !== undefined && !hasEnded(dryRun))
          }
          loading={begun === "check"}
          onClick={check}
        >
          {isChecked ? "Check again" : "Check the whole file"}
        </Button>
        {isChecked ? (
          <Button
            disabled={problem !== undefined || !mayChange || taken === 0 || begun === "check"}
            loading={begun === "import"}
            onClick={importAll}
          >
            {request?.schedule_at === undefined
              ? `Import ${formatCount(taken, "row")}`
              : `Import ${formatCount(taken, "row")} at that time`}
          </Button>
        ) : (
          <Text c="dimmed">A dry run changes nothing: it counts what would happen.</Text>
        )}
      </Group>
    </Stack>
  );
}
