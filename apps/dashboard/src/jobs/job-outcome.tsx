import { Anchor, Text } from "@mantine/core";
import type { Job } from "@muster/protocol/api/jobs";
import { undoSentences } from "@muster/protocol/api/undo-sentences";
import { formatCount } from "../ui/text/format.js";
import { fileAddress } from "./file-address.js";
import { canceledSentence, importSentence, rewriteSentence } from "./job-words.js";

const NOUNS: Record<Job["object"], string> = { users: "user", accounts: "account", events: "event" };

/** What a job has done, in one sentence, with its file. */
export function JobOutcome({ job }: { job: Job }) {
  const { type, status, error, download_url, refused_rows_url, progress, object, result } = job;
  if (status === "failed") return <Text c="var(--bad)">{error}</Text>;
  if (status === "canceled") return <Text c="dimmed">{canceledSentence(job)}</Text>;
  if (status !== "completed") return null;
  if (type === "import") {
    return (
      <Text>
        {importSentence(job)}{" "}
        {refused_rows_url ? (
          <Anchor href={fileAddress(refused_rows_url)} download>
            Refused rows
          </Anchor>
        ) : null}
      </Text>
    );
  }
  const count = formatCount(progress.processed, NOUNS[object]);
  if (type === "export") return <Text>{count} handed over.</Text>;
  if (type === "revert") return <Text>{undoSentences(result ?? {}).join(" ")}</Text>;
  if (type === "rewrite") return <Text>{rewriteSentence(job)}</Text>;
  return (
    <Text>
      {count}.{" "}
      {download_url ? (
        <Anchor href={fileAddress(download_url)} download>
          Download
        </Anchor>
      ) : (
        "The file was removed."
      )}
    </Text>
  );
}
