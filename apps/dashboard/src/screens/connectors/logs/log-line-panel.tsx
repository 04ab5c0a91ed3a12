import { Button, Group, Stack, Text } from "@mantine/core";
import type { Report } from "@muster/protocol/api/subjects";
import { useSubjectSearch } from "../../../api/audience/use-subject-search.js";
import type { ShownLine } from "../../../api/connectors/use-log-tail.js";
import { useOrganization } from "../../../api/session/use-organization.js";
import { CodeEditor } from "../../../ui/code/code-editor.js";
import { SidePanel } from "../../../ui/page/side-panel.js";
import { TextLink } from "../../../ui/page/text-link.js";
import { TimeText } from "../../../ui/text/time-text.js";
import { subjectOfLine } from "./subject-of-line.js";

interface LogLinePanelProps {
  line: ShownLine | undefined;
  onClose: () => void;
  onFilter: (text: string) => void;
}

/** A log line with everything that belongs to it. */
export function LogLinePanel({ line, onClose, onFilter }: LogLinePanelProps) {
  const { id: org } = useOrganization();
  const subject = line ? subjectOfLine(line.data) : undefined;
  const { data: found } = useSubjectSearch(subject?.kind ?? "user", subject?.name ?? "", subject !== undefined);
  // The search also finds those whose name only begins like this one.
  const names = (report: Report) => [report.id, report.email, report.domain, report.external_id];
  const id = subject?.id ?? found?.find((report) => names(report).includes(subject?.name))?.id;
  return (
    <SidePanel title={line?.message || (line ? "Log line" : undefined)} onClose={onClose}>
      {line ? (
        <Stack gap="sm">
          <Text c="dimmed">
            {line.level}, <TimeText time={line.at} />
          </Text>
          {line.summary === "" ? null : <Text fw={500}>{line.summary}</Text>}
          {subject ? (
            <Group gap="xs">
              {id === undefined ? (
                <Text>About {subject.name}</Text>
              ) : (
                <TextLink
                  size="md"
                  to={subject.kind === "user" ? "/o/$org/users/$id" : "/o/$org/accounts/$id"}
                  params={{ org, id }}
                >
                  Open {subject.name}
                </TextLink>
              )}
              <Button
                variant="default"
                onClick={() => {
                  onFilter(subject.name);
                  onClose();
                }}
              >
                Only lines about {subject.name}
              </Button>
            </Group>
          ) : null}
          <CodeEditor
            value={JSON.stringify(line.data, null, 2)}
            language="json"
            label="What belongs to the line"
            isReadOnly
          />
        </Stack>
      ) : null}
    </SidePanel>
  );
}
