import { Anchor, List, Stack, Text } from "@mantine/core";
import type { Job } from "@muster/protocol/api/jobs";
import { useRefusalReasons } from "../api/jobs/use-jobs.js";
import { ErrorNote } from "../ui/page/error-note.js";
import { formatCount, formatNumber } from "../ui/text/format.js";
import { fileAddress } from "./file-address.js";

/** Why rows of an import were refused, and the rows as a file. */
export function RefusedRows({ job }: { job: Job }) {
  const { data: reasons = [], error, refetch } = useRefusalReasons(job);
  if (job.progress.rejected === 0) return null;
  return (
    <Stack gap={4}>
      <Text>
        {formatCount(job.progress.rejected, "row")} refused{reasons.length === 0 ? "." : ", because:"}
      </Text>
      {error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : null}
      <List size="sm" spacing={2} withPadding>
        {reasons.map(({ message, rows, first_line }) => (
          <List.Item key={message}>
            {message}{" "}
            <Text component="span" c="dimmed">
              {rows === 1
                ? `line ${formatNumber(first_line)}`
                : `${formatNumber(rows)} rows, the first in line ${formatNumber(first_line)}`}
            </Text>
          </List.Item>
        ))}
      </List>
      {job.refused_rows_url ? (
        <Text>
          <Anchor href={fileAddress(job.refused_rows_url)} download>
            Download the refused rows
          </Anchor>{" "}
          with the reason in the last column.
        </Text>
      ) : null}
    </Stack>
  );
}
