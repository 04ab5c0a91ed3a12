import { Button, Group, SegmentedControl, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import type { SubjectType } from "@muster/protocol";
import { useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { saveScript, useProcessorSettings, useScriptPreview } from "../../../api/connectors/use-processor.js";
import { useMay, useOrganization } from "../../../api/session/use-organization.js";
import { CodeEditor } from "../../../ui/code/code-editor.js";
import { notifyDone, notifyFailed } from "../../../ui/notes/notify-done.js";
import { ErrorNote } from "../../../ui/page/error-note.js";
import { useUrlState } from "../../../ui/state/use-url-state.js";
import { PreviewResult } from "./preview-result.js";
import classes from "./processor.module.css";
import { SubjectPane } from "./subject-pane.js";
import { TryOnMany } from "./try-on-many.js";
import { useDraft } from "./use-draft.js";

/** Long enough not to run half a word, short enough to feel like typing. */
const RUN_AFTER_MS = 250;

/** Code beside people: a real user on the left, the code in the middle, what it would do on the right. */
export function ProcessorTab({ connectorId }: { connectorId: string }) {
  const { id: org } = useOrganization();
  const mayRun = useMay("editor");
  const client = useQueryClient();
  const [kind, setKind] = useUrlState("entity", "user");
  const [subject, setSubject] = useUrlState("subject");
  const entity: SubjectType = kind === "account" ? "account" : "user";
  const settings = useProcessorSettings(connectorId);
  const saved = settings.data?.code?.[entity];
  const draft = useDraft(connectorId, entity, saved);
  const [code] = useDebouncedValue(draft.code, RUN_AFTER_MS);
  const run = useScriptPreview(connectorId, { entity, identifier: mayRun ? subject : "", code });
  const { error, line } = run.data ?? {};
  const problems = useMemo(() => (error ? [{ line: line ?? 1, message: error }] : []), [error, line]);
  const save = async (next: string, message: string, undo?: () => void) => {
    try {
      await saveScript(connectorId, entity, next);
      // The saved code is read before the draft is dropped: otherwise the code from before would be shown for a moment.
      await client.invalidateQueries({ queryKey: [org, "connector", connectorId] });
      draft.drop();
      notifyDone(message, undo);
    } catch (reason) {
      notifyFailed(reason);
    }
  };
  const before = saved ?? "";
  // Without this, the editor would look as if there were no code, and saving would replace code that nobody saw.
  if (settings.data && saved === undefined) {
    return <Text c="dimmed">Only owners see and change the code: it is a private setting, and may hold secrets.</Text>;
  }
  return (
    <div className={classes.panes}>
      <section className={classes.pane} aria-label={entity === "user" ? "User" : "Account"}>
        <SegmentedControl
          aria-label="What the script runs for"
          fullWidth
          data={[
            { value: "user", label: "Users" },
            { value: "account", label: "Accounts" },
          ]}
          value={entity}
          onChange={(value) => {
            setSubject(undefined);
            setKind(value);
          }}
        />
        <SubjectPane entity={entity} id={subject} onChoose={setSubject} />
      </section>
      <section className={classes.pane} aria-label="Code">
        <Group justify="space-between" gap="xs">
          <Text fw={500}>Script for {entity}s</Text>
          <Group gap="xs" wrap="nowrap">
            <Text c="dimmed" role="status">
              {saved === undefined ? "" : draft.isChanged ? "Not saved" : "Saved"}
            </Text>
            {draft.isChanged ? (
              <Button variant="default" onClick={draft.drop}>
                Drop draft
              </Button>
            ) : null}
            <Button
              disabled={!mayRun || !draft.isChanged}
              onClick={() => void save(draft.code, "Code saved", () => void save(before, "Code as it was before"))}
            >
              Save code
            </Button>
          </Group>
        </Group>
        {settings.error ? <ErrorNote error={settings.error} onRetry={() => void settings.refetch()} /> : null}
        {draft.isBehind ? (
          <Text c="var(--late)">Somebody has saved other code since you began. Saving replaces it.</Text>
        ) : null}
        <CodeEditor
          value={draft.code}
          onChange={draft.change}
          language="javascript"
          label={`Script for ${entity}s`}
          isReadOnly={!mayRun}
          problems={problems}
          minHeight="24rem"
        />
      </section>
      <section className={classes.pane} aria-label="Result">
        {mayRun ? (
          <PreviewResult
            run={run.data}
            failure={run.error}
            isOutdated={run.isPlaceholderData || run.isFetching || code !== draft.code}
            isChosen={subject !== ""}
            entity={entity}
          />
        ) : null}
        <TryOnMany connectorId={connectorId} entity={entity} code={draft.code} mayRun={mayRun} onChoose={setSubject} />
      </section>
    </div>
  );
}
