import { Anchor, Table, Text } from "@mantine/core";
import type { Job } from "@muster/protocol/api/jobs";
import { useConnectorJobs } from "../../../api/deliveries/use-deliveries.js";
import { fileAddress } from "../../../jobs/file-address.js";
import { JobStatus } from "../../../jobs/job-status.js";
import { jobTitle } from "../../../jobs/job-words.js";
import { EmptyState } from "../../../ui/page/empty-state.js";
import { ErrorNote } from "../../../ui/page/error-note.js";
import { PageSkeleton } from "../../../ui/page/skeleton.js";
import { formatNumber } from "../../../ui/text/format.js";
import { TimeText } from "../../../ui/text/time-text.js";

/** Batches that the connector was sent, and the imports and extracts that it asked for. */
export function JobsOfConnector({ connectorId }: { connectorId: string }) {
  const { data, error, refetch } = useConnectorJobs(connectorId);
  if (error) return <ErrorNote error={error} onRetry={() => void refetch()} />;
  if (!data) return <PageSkeleton />;
  const { jobs, total } = data;
  if (jobs.length === 0) {
    return (
      <EmptyState title="Nothing was sent in bulk">
        Members of a segment that are sent to this connector together appear here, and so do files that it imports or
        extracts.
      </EmptyState>
    );
  }
  return (
    <Table.ScrollContainer minWidth={640}>
      {total > jobs.length ? (
        <Text c="dimmed">
          The last {formatNumber(jobs.length)} of {formatNumber(total)} are shown.
        </Text>
      ) : null}
      <Table aria-label="Batches and exports" verticalSpacing={6} borderColor="var(--line)">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>What</Table.Th>
            <Table.Th>Name</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th ta="right">Records</Table.Th>
            <Table.Th>Started</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {jobs.map((job) => (
            <Table.Tr key={job.id}>
              <Table.Td>{jobTitle(job)}</Table.Td>
              <Table.Td>{job.name}</Table.Td>
              <Table.Td>
                <State job={job} />
              </Table.Td>
              <Table.Td ta="right">
                {formatNumber(job.progress.processed)}
                {job.progress.total === null ? "" : ` of ${formatNumber(job.progress.total)}`}
              </Table.Td>
              <Table.Td>
                <TimeText time={job.started_at ?? job.scheduled_at} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function State({ job }: { job: Job }) {
  return (
    <>
      <JobStatus status={job.status} />
      {job.error === null ? null : <Text c="dimmed">{job.error}</Text>}
      {job.download_url ? (
        <Anchor size="sm" href={fileAddress(job.download_url)} download>
          Download
        </Anchor>
      ) : null}
    </>
  );
}
