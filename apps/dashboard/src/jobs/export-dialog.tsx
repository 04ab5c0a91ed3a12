import { Anchor, Button, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useJob, useJobChanges } from "../api/jobs/use-jobs.js";
import { Dialog } from "../ui/notes/dialog.js";
import { ErrorNote } from "../ui/page/error-note.js";
import { formatCount } from "../ui/text/format.js";
import type { BulkSelection } from "./bulk-selection.js";
import { fileAddress } from "./file-address.js";
import { type FileFormat, FormatControl } from "./format-control.js";
import { JobProgress } from "./job-progress.js";
import { canceledSentence } from "./job-words.js";

interface ExportDialogProps {
  selection: BulkSelection;
  /** The fields that become columns of the file, with their names for people. */
  fields: readonly { key: string; name: string }[];
  opened: boolean;
  onClose: () => void;
}

/** Writes what is selected into a file, and offers the file. */
export function ExportDialog({ selection, fields, opened, onClose }: ExportDialogProps) {
  const { target, query, count } = selection;
  const [format, setFormat] = useState<FileFormat>("csv");
  const [jobId, setJobId] = useState<string>();
  const { extract } = useJobChanges();
  const { data: job } = useJob(jobId);
  const noun = formatCount(count, target);
  const close = () => {
    setJobId(undefined);
    extract.reset();
    onClose();
  };
  const start = () =>
    extract.mutate(
      {
        object: target === "user" ? "users" : "accounts",
        format,
        query,
        ...(format === "json" ? {} : { fields: fields.map(({ key }) => key) }),
      },
      { onSuccess: ({ id }) => setJobId(id) },
    );
  return (
    <Dialog opened={opened} onClose={close} title={`Export ${noun}`}>
      <Stack>
        {jobId === undefined ? (
          <>
            <FormatControl format={format} onChange={setFormat} />
            <Text>
              {format === "json"
                ? `${noun} with all fields, one JSON object a line.`
                : `${noun} with the columns ${fields.map(({ name }) => name).join(", ")}.`}
            </Text>
          </>
        ) : null}
        {job ? <JobProgress job={job} what="Writing the file" /> : null}
        {extract.error ? <ErrorNote error={extract.error} /> : null}
        {job?.status === "failed" ? (
          <ErrorNote error={new Error(job.error ?? "The file could not be written.")} />
        ) : null}
        {job?.status === "canceled" ? <Text>{canceledSentence(job)}</Text> : null}
        {job?.download_url ? (
          <Text>
            The file is ready with {formatCount(job.progress.processed, target)}. It is kept for a while under Import &
            export.
          </Text>
        ) : null}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {jobId === undefined && !extract.isPending ? "Cancel" : "Close"}
          </Button>
          {jobId === undefined ? (
            <Button onClick={start} loading={extract.isPending}>
              Export {noun}
            </Button>
          ) : null}
          {job?.download_url ? (
            <Anchor href={fileAddress(job.download_url)} download>
              Download the file
            </Anchor>
          ) : null}
        </Group>
      </Stack>
    </Dialog>
  );
}
