import { Button, Group, Select, Stack, Text } from "@mantine/core";
import type { SubjectType } from "@muster/protocol";
import { useEffect, useRef, useState } from "react";
import { useSegmentsOf } from "../../../api/audience/use-segments-of.js";
import { type ScriptTrial, tryScript } from "../../../api/connectors/use-processor.js";
import { ErrorNote } from "../../../ui/page/error-note.js";
import classes from "./processor.module.css";
import { TrialSummary } from "./trial-summary.js";

interface TryOnManyProps {
  connectorId: string;
  entity: SubjectType;
  code: string;
  mayRun: boolean;
  onChoose: (id: string) => void;
}

/** Runs the code for fifty users or accounts and sums up what it would do. */
export function TryOnMany({ connectorId, entity, code, mayRun, onChoose }: TryOnManyProps) {
  const [segment, setSegment] = useState<string | null>(null);
  const [trial, setTrial] = useState<{ code: string; result: ScriptTrial }>();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const running = useRef<AbortController>(undefined);
  const { data: segments } = useSegmentsOf(entity);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was tried for users says nothing about accounts
  useEffect(() => {
    setSegment(null);
    setTrial(undefined);
    return () => running.current?.abort();
  }, [entity]);
  const run = async () => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    setBusy(true);
    setError(undefined);
    try {
      const body = { entity, code, ...(segment === null ? {} : { segment_id: segment }) };
      setTrial({ code, result: await tryScript(connectorId, body, controller.signal) });
    } catch (reason) {
      if (!controller.signal.aborted) setError(reason);
    } finally {
      if (running.current === controller) setBusy(false);
    }
  };
  return (
    <Stack gap="sm" className={classes.many}>
      <Group align="flex-end" gap="xs">
        <Select
          label="Try on many"
          placeholder={`All ${entity}s`}
          data={(segments ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          value={segment}
          onChange={setSegment}
          clearable
          searchable
          w={190}
        />
        <Button variant="default" onClick={() => void run()} loading={isBusy} disabled={!mayRun}>
          Try on 50 {entity}s
        </Button>
      </Group>
      {error === undefined ? null : <ErrorNote error={error} onRetry={() => void run()} />}
      {trial && trial.code !== code ? <Text c="dimmed">The code was changed since this was tried.</Text> : null}
      {trial ? <TrialSummary trial={trial.result} entity={entity} onChoose={onChoose} /> : null}
    </Stack>
  );
}
