import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import type { LogLevel } from "@muster/protocol/api/connector-logs";
import { useMemo, useState } from "react";
import { type ShownLine, useLogTail } from "../../../api/connectors/use-log-tail.js";
import { EmptyState } from "../../../ui/page/empty-state.js";
import { ErrorNote } from "../../../ui/page/error-note.js";
import { useTyped } from "../../../ui/state/use-typed.js";
import { useUrlState } from "../../../ui/state/use-url-state.js";
import { FilterSelect } from "../../../ui/table/filter-select.js";
import { formatClock, formatCount } from "../../../ui/text/format.js";
import { StatusDot } from "../../../ui/text/status-dot.js";
import { LogLinePanel } from "./log-line-panel.js";
import classes from "./logs.module.css";

const LEVELS = [
  { value: "debug", label: "Debug" },
  { value: "info", label: "Info" },
  { value: "warn", label: "Warning" },
  { value: "error", label: "Error" },
];

/** What the connector logs, as it happens. */
export function LogsTab({ connectorId }: { connectorId: string }) {
  const [level, setLevel] = useUrlState("level", "", { replace: true });
  const [text, setText] = useUrlState("text", "", { replace: true });
  const [isPaused, setPaused] = useState(false);
  const [opened, setOpened] = useState<ShownLine>();
  const filter = { level: asLevel(level), text: useTyped(text) || undefined, isPaused };
  const { data, error, refetch, isPlaceholderData } = useLogTail(connectorId, filter);
  const lines = useMemo(() => [...(data?.lines ?? [])].reverse(), [data]);
  return (
    <Stack gap="sm" className={classes.tab}>
      <Group gap="sm" align="flex-end">
        <TextInput
          label="Text, user or account"
          placeholder="A word, an e-mail address or an id"
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          w={280}
        />
        <FilterSelect label="Level" placeholder="All levels" data={LEVELS} value={level} onChange={setLevel} w={140} />
        <Button variant="default" onClick={() => setPaused(!isPaused)} aria-pressed={isPaused}>
          {isPaused ? "Go on" : "Pause"}
        </Button>
        <div className={classes.state}>
          <StatusDot status={isPaused ? "unknown" : error ? "bad" : "good"}>
            {isPaused ? "Paused" : error ? "Not reached" : "Live"} · {formatCount(lines.length, "line")}
          </StatusDot>
        </div>
      </Group>
      {error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : null}
      {data && lines.length === 0 ? (
        <EmptyState
          title={filter.level || filter.text ? "No line matches" : "The connector has not logged anything yet"}
        >
          {filter.level || filter.text
            ? "New lines that match appear here as soon as they are logged."
            : "Lines that it sends to Muster appear here within seconds."}
        </EmptyState>
      ) : (
        <ol
          className={classes.lines}
          aria-label="Log lines, the latest first"
          data-outdated={isPlaceholderData || undefined}
        >
          {lines.map((line) => (
            <li key={line.key}>
              <button type="button" className={classes.line} data-level={line.level} onClick={() => setOpened(line)}>
                <time dateTime={line.at}>{formatClock(line.at)}</time>
                <span className={classes.level}>{line.level}</span>
                <span className={classes.message}>
                  {line.message}
                  {line.summary === "" ? null : <strong> {line.summary}</strong>}
                  <Text component="span" size="xs" c="dimmed" className={classes.data}>
                    {" "}
                    {briefly(line.data)}
                  </Text>
                </span>
              </button>
            </li>
          ))}
        </ol>
      )}
      <LogLinePanel line={opened} onClose={() => setOpened(undefined)} onFilter={setText} />
    </Stack>
  );
}

function asLevel(level: string): LogLevel | undefined {
  return LEVELS.some(({ value }) => value === level) ? (level as LogLevel) : undefined;
}

function briefly({ context: _context, hull_summary: _summary, ...data }: Record<string, unknown>): string {
  return Object.keys(data).length === 0 ? "" : JSON.stringify(data).slice(0, 300);
}
