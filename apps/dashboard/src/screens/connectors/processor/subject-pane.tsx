import { Text } from "@mantine/core";
import type { SubjectType } from "@muster/protocol";
import { useMemo } from "react";
import { useSubjectSearch } from "../../../api/audience/use-subject-search.js";
import { CodeEditor } from "../../../ui/code/code-editor.js";
import { ErrorNote } from "../../../ui/page/error-note.js";
import { SubjectPicker } from "../subject-picker.js";

interface SubjectPaneProps {
  entity: SubjectType;
  id: string;
  onChoose: (id: string) => void;
}

/** Chooses a real user or account, and shows what the script can read of it. */
export function SubjectPane({ entity, id, onChoose }: SubjectPaneProps) {
  const { data, error, refetch } = useSubjectSearch(entity, id, id !== "");
  const report = id === "" ? undefined : data?.find((one) => one.id === id);
  const text = useMemo(() => JSON.stringify(withoutEmpty(report ?? {}), null, 2), [report]);
  return (
    <>
      <SubjectPicker
        entity={entity}
        value={id}
        onChange={onChoose}
        label={entity === "user" ? "Run for this user" : "Run for this account"}
        placeholder={entity === "user" ? "Name, e-mail or ID" : "Name, domain or ID"}
      />
      {error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : null}
      {report ? (
        <>
          <Text c="dimmed">
            The script reads this as <code>{entity}</code>. Values that are not set are left out here.
          </Text>
          <CodeEditor value={text} language="json" label="What the script reads" isReadOnly />
        </>
      ) : null}
    </>
  );
}

function withoutEmpty(report: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(report).filter(([, value]) => value !== null && !(Array.isArray(value) && value.length === 0)),
  );
}
