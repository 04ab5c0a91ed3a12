import { Group, SegmentedControl, Stack, Text, Title } from "@mantine/core";
import type { ListedPlatform } from "@muster/protocol/api/platforms";
import { useSnippet } from "../../api/organization/use-platforms.js";
import { CodeBlock } from "../../ui/code/code-block.js";
import { ErrorNote } from "../../ui/page/error-note.js";
import { useUrlState } from "../../ui/state/use-url-state.js";
import { StatusDot } from "../../ui/text/status-dot.js";
import { TimeText } from "../../ui/text/time-text.js";
import classes from "./platform-screen.module.css";

/** The script tag, and how it gets into pages. */
export function InstallPart({ platform }: { platform: ListedPlatform }) {
  const [version, setVersion] = useUrlState("script", "fixed", { replace: true });
  const { data, error, refetch } = useSnippet(platform.id);
  return (
    <Stack component="section" gap="sm" aria-label="Install">
      <Title order={2}>Install</Title>
      <ol className={classes.steps}>
        <li>
          <Group justify="space-between" mb={6} gap="xs">
            <Text>Paste this tag into the head of every page.</Text>
            <SegmentedControl
              aria-label="Version of the script"
              value={version}
              onChange={setVersion}
              data={[
                { value: "fixed", label: data ? `Version ${data.version}` : "This version" },
                { value: "latest", label: "Latest" },
              ]}
            />
          </Group>
          {error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : null}
          {data ? (
            <CodeBlock text={version === "latest" ? data.latest_html : data.html} label="the script tag" />
          ) : null}
          <Text c="dimmed" size="xs" mt={4}>
            {version === "latest"
              ? "The script changes when the server is upgraded, so a browser cannot check it."
              : "The script never changes, and a browser refuses it if somebody changed it. Paste the tag again after an upgrade of the server."}
          </Text>
        </li>
        <li>
          {platform.domains.length > 0 ? (
            <Text>Open a page on {platform.domains.join(" or ")}.</Text>
          ) : (
            <Text>Add the domain of the site below: until then, no page may use the script.</Text>
          )}
        </li>
        <li>
          {platform.last_record_at ? (
            <StatusDot status="good">
              It works: the last record came <TimeText time={platform.last_record_at} />.
            </StatusDot>
          ) : (
            <StatusDot status="unknown">Waiting for the first record from this platform…</StatusDot>
          )}
        </li>
      </ol>
    </Stack>
  );
}
