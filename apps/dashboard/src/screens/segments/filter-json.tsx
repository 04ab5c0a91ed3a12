import { SegmentedControl, Stack, Text } from "@mantine/core";
import { useMemo, useRef, useState } from "react";
import { ApiError } from "../../api/api-error.js";
import { convertDraft, type EditedSegment, useSegmentCount } from "../../api/audience/use-segments.js";
import { type DraftFilter, isSameJson } from "../../filters/draft-filter.js";
import { CodeEditor } from "../../ui/code/code-editor.js";
import { asObject } from "../../ui/code/json-parts.js";
import { notifyFailed } from "../../ui/notes/notify-done.js";
import { lineOfPath } from "./json-place.js";
import classes from "./segments.module.css";

interface FilterJsonProps {
  filter: DraftFilter;
  onChange: (filter: DraftFilter) => void;
  /** What was typed last, if it cannot be read. */
  unreadText: string | undefined;
  onUnread: (text: string) => void;
  body: EditedSegment;
  isReadOnly: boolean;
}

type Json = Record<string, unknown>;

const jsonOf = (filter: DraftFilter): Json => (filter.kind === "query" ? filter.query : filter.predicate);
const textOf = (filter: DraftFilter) => JSON.stringify(jsonOf(filter), undefined, 2);

/** The filter as JSON, in step with the builder. What is wrong is marked at its line. */
export function FilterJson({ filter, onChange, unreadText, onUnread, body, isReadOnly }: FilterJsonProps) {
  const [typed, setTyped] = useState<string>();
  // Text that says the same as the filter stays as the person has typed it.
  const isKept = useMemo(() => {
    if (typed === undefined) return false;
    const read = parse(typed);
    return "json" in read && isSameJson(read.json, jsonOf(filter));
  }, [typed, filter]);
  const text = unreadText ?? (typed !== undefined && isKept ? typed : textOf(filter));
  const written = useMemo(() => parse(text), [text]);
  // The answer is shared with the result at the right, which asks the same.
  const { error } = useSegmentCount(body);
  // What is typed while the server converts the filter is newer than its answer.
  const newest = useRef(text);
  newest.current = text;

  const change = (next: string) => {
    setTyped(next);
    const read = parse(next);
    if ("problem" in read) {
      onUnread(next);
      return;
    }
    onChange(
      filter.kind === "query" ? { kind: "query", query: read.json } : { kind: "predicate", predicate: read.json },
    );
  };
  const convert = async (kind: string) => {
    try {
      const { segment_id: _saved, ...asked } = body;
      const converted = await convertDraft(asked);
      if (newest.current !== text) return;
      const next: DraftFilter | undefined =
        kind === "query"
          ? { kind: "query", query: converted.query as Json }
          : converted.predicate
            ? { kind: "predicate", predicate: converted.predicate as Json }
            : undefined;
      if (!next) throw new Error("This query has no form as a predicate: it has parts that only queries can say.");
      setTyped(undefined);
      onChange(next);
    } catch (reason) {
      notifyFailed(reason);
    }
  };

  const problem = "problem" in written ? written.problem : problemOf(error, text);
  return (
    <Stack gap="xs">
      <SegmentedControl
        aria-label="Form of the JSON"
        className={classes.form}
        data={[
          { value: "predicate", label: "Predicate" },
          { value: "query", label: "Query" },
        ]}
        value={filter.kind}
        onChange={(kind) => void convert(kind)}
        // Text that cannot be read has no other form, and would be lost.
        disabled={isReadOnly || unreadText !== undefined}
      />
      <CodeEditor
        language="json"
        label={filter.kind === "query" ? "Query as JSON" : "Predicate as JSON"}
        value={text}
        onChange={change}
        isReadOnly={isReadOnly}
        problems={problem ? [problem] : []}
        minHeight="16rem"
      />
      {problem ? (
        <Text c="var(--bad)" role="alert">
          Line {problem.line}: {problem.message}
        </Text>
      ) : null}
    </Stack>
  );
}

function parse(text: string): { json: Json } | { problem: { line: number; message: string } } {
  try {
    const json = asObject(JSON.parse(text));
    return json ? { json } : { problem: { line: 1, message: "A filter is an object: { … }." } };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const place = /position (\d+)/.exec(message)?.[1];
    const line = place === undefined ? text.split("\n").length : text.slice(0, Number(place)).split("\n").length;
    return { problem: { line, message: `This is no JSON: ${message}.` } };
  }
}

function problemOf(error: unknown, text: string): { line: number; message: string } | undefined {
  if (!(error instanceof ApiError)) return undefined;
  return { line: lineOfPath(text, error.details[0]?.path ?? ""), message: error.message };
}
