import "@mantine/core/styles/RadioCard.css";
import "@mantine/core/styles/RadioIndicator.css";
import "@mantine/core/styles/Radio.css";
import { Anchor, Button, Group, Radio, Stack, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useConnectors } from "../api/connectors/use-connectors.js";
import { useJob, useJobChanges } from "../api/jobs/use-jobs.js";
import { useOrganization } from "../api/session/use-organization.js";
import { Dialog } from "../ui/notes/dialog.js";
import { ErrorNote } from "../ui/page/error-note.js";
import { formatCount } from "../ui/text/format.js";
import type { BulkSelection } from "./bulk-selection.js";
import { JobProgress } from "./job-progress.js";
import { canceledSentence } from "./job-words.js";

interface SendDialogProps {
  selection: BulkSelection;
  opened: boolean;
  onClose: () => void;
}

/** Sends what is selected to a connector, after saying exactly how many. */
export function SendDialog({ selection, opened, onClose }: SendDialogProps) {
  const { target, query, count } = selection;
  const { id: org } = useOrganization();
  const { data: connectors, error, refetch } = useConnectors({ enabled: opened });
  const { exportTo } = useJobChanges();
  const [chosenId, setChosenId] = useState<string>();
  const [jobId, setJobId] = useState<string>();
  const { data: job } = useJob(jobId);
  const noun = formatCount(count, target);
  const needed = target === "user" ? ["kraken-exports", "batch"] : ["kraken-exports", "batch-accounts"];
  const takers = connectors?.filter(({ tags }) => needed.some((tag) => tags.includes(tag))) ?? [];
  const chosen = takers.find(({ id }) => id === chosenId);
  const close = () => {
    setJobId(undefined);
    setChosenId(undefined);
    exportTo.reset();
    onClose();
  };
  const start = () => {
    if (!chosen) return;
    const object = target === "user" ? "users" : "accounts";
    exportTo.mutate({ connectorId: chosen.id, object, query }, { onSuccess: ({ id }) => setJobId(id) });
  };
  return (
    <Dialog opened={opened} onClose={close} title={`Send ${noun} to a connector`}>
      <Stack>
        {error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : null}
        {connectors && takers.length === 0 ? (
          <Text>
            No connector of this organization takes {target}s in bulk.{" "}
            <Anchor renderRoot={(props) => <Link {...props} to="/o/$org/connectors" params={{ org }} />}>
              Install one
            </Anchor>{" "}
            first.
          </Text>
        ) : null}
        {jobId === undefined && takers.length > 0 ? (
          <Radio.Group label="Connector" value={chosenId ?? ""} onChange={setChosenId}>
            <Stack gap={6} mt={6}>
              {takers.map(({ id, name, enabled }) => (
                <Radio key={id} value={id} label={enabled ? name : `${name} (switched off)`} disabled={!enabled} />
              ))}
            </Stack>
          </Radio.Group>
        ) : null}
        {chosen && jobId === undefined ? (
          <Text>
            {chosen.name} gets {noun}, also those that its own filter would leave out. What it does with them cannot be
            undone here.
          </Text>
        ) : null}
        {job ? <JobProgress job={job} what="Handing over" /> : null}
        {job?.status === "completed" ? (
          <Text>
            {formatCount(job.progress.processed, target)} were handed over.{" "}
            <Anchor
              renderRoot={(props) => <Link {...props} to="/o/$org/import" params={{ org }} search={{ tab: "jobs" }} />}
            >
              All jobs
            </Anchor>
          </Text>
        ) : null}
        {job?.status === "canceled" ? <Text>{canceledSentence(job)}</Text> : null}
        {job?.status === "failed" ? <ErrorNote error={new Error(job.error ?? "It failed.")} /> : null}
        {exportTo.error ? <ErrorNote error={exportTo.error} /> : null}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {jobId === undefined && !exportTo.isPending ? "Cancel" : "Close"}
          </Button>
          {jobId === undefined ? (
            <Button onClick={start} disabled={!chosen} loading={exportTo.isPending}>
              Send {noun}
            </Button>
          ) : null}
        </Group>
      </Stack>
    </Dialog>
  );
}
