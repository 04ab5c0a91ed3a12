import type { LogLevel, LogLine, LogTail } from "@muster/protocol/api/connector-logs";
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "../client.js";
import { useOrganization } from "../session/use-organization.js";

export interface ShownLine extends LogLine {
  /** The same for a line in every answer of this browser. */
  key: number;
}

export interface LogTailFilter {
  level?: LogLevel | undefined;
  text?: string | undefined;
  isPaused: boolean;
}

interface ShownTail extends LogTail {
  lines: ShownLine[];
}

const LIVE_MS = 1_000;
const MOST_LINES = 1_000;
const FIRST_LINES = 200;
let lastKey = 0;

/** What a connector logs, as it happens: the latest lines, then every second those that are new. */
export function useLogTail(connectorId: string, { level, text, isPaused }: LogTailFilter) {
  const { id: org } = useOrganization();
  const client = useQueryClient();
  const queryKey = [org, "logs", connectorId, level, text];
  return useQuery({
    queryKey,
    queryFn: async ({ signal }): Promise<ShownTail> => {
      const before = client.getQueryData<ShownTail>(queryKey);
      const query = {
        limit: before ? MOST_LINES : FIRST_LINES,
        ...(before ? { after: before.cursor } : {}),
        ...(level ? { level } : {}),
        ...(text ? { text } : {}),
      };
      const { lines, cursor } = await answer(
        api.GET("/api/v1/{id}/logs/tail", { params: { path: { id: connectorId }, query }, signal }),
      );
      const added = lines.map((line) => ({ ...line, key: ++lastKey }));
      return { lines: [...(before?.lines ?? []), ...added].slice(-MOST_LINES), cursor };
    },
    enabled: !isPaused,
    refetchInterval: LIVE_MS,
    structuralSharing: false,
    placeholderData: keepPreviousData,
  });
}
