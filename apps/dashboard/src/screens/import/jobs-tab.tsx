import "@mantine/core/styles/Pagination.css";
import { Group, Pagination, Stack, Table, Text } from "@mantine/core";
import { useJobs } from "../../api/jobs/use-jobs.js";
import { JobOutcome } from "../../jobs/job-outcome.js";
import { JobProgress } from "../../jobs/job-progress.js";
import { JobStatus } from "../../jobs/job-status.js";
import { jobTitle } from "../../jobs/job-words.js";
import { UndoJob } from "../../jobs/undo-job.js";
import { EmptyState } from "../../ui/page/empty-state.js";
import { ErrorNote } from "../../ui/page/error-note.js";
import { PageSkeleton } from "../../ui/page/skeleton.js";
import { useUrlState } from "../../ui/state/use-url-state.js";
import { TimeText } from "../../ui/text/time-text.js";

const PER_PAGE = 30;

/** All imports, files and exports, the latest first, with progress and what they did. */
export function JobsTab() {
  const [page, setPage] = useUrlState("page", "1");
  const { data, error, refetch } = useJobs(Number(page) || 1, PER_PAGE);
  if (error) return <ErrorNote error={error} onRetry={() => void refetch()} />;
  if (!data) return <PageSkeleton />;
  const { jobs, total } = data;
  if (total === 0) return <EmptyState title="No imports or exports yet">What you start appears here.</EmptyState>;
  return (
    <Stack>
      <Table.ScrollContainer minWidth={520} type="native">
        <Table verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Started</Table.Th>
              <Table.Th>What</Table.Th>
              <Table.Th visibleFrom="sm">Name</Table.Th>
              <Table.Th>Status</Table.Th>
              <Table.Th>Result</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {jobs.map((job) => (
              <Table.Tr key={job.id}>
                <Table.Td>
                  <TimeText time={job.started_at ?? job.scheduled_at} />
                </Table.Td>
                <Table.Td>{jobTitle(job)}</Table.Td>
                <Table.Td maw={260} visibleFrom="sm">
                  <Text truncate title={job.name}>
                    {job.name}
                  </Text>
                  {job.description === "" ? null : (
                    <Text truncate c="dimmed" size="xs" title={job.description}>
                      {job.description}
                    </Text>
                  )}
                </Table.Td>
                <Table.Td>
                  <JobStatus status={job.status} />
                </Table.Td>
                <Table.Td>
                  <JobProgress job={job} what="So far" />
                  <JobOutcome job={job} />
                  <UndoJob job={job} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {total > PER_PAGE ? (
        <Group>
          <Pagination
            total={Math.ceil(total / PER_PAGE)}
            value={Number(page) || 1}
            onChange={(next) => setPage(String(next))}
            getControlProps={(control) => ({ "aria-label": `${control} page` })}
          />
        </Group>
      ) : null}
    </Stack>
  );
}
