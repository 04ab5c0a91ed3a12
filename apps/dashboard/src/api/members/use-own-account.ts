import type { OwnChanges } from "@muster/protocol/api/members";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "../client.js";
import { forgetSession } from "../query-client.js";
import { SESSION_KEY, startSession } from "../session/use-session.js";

const SESSIONS_KEY = ["session", "browsers"] as const;

/** The browsers in which the person is signed in. */
export function useOwnSessions() {
  return useQuery({
    queryKey: SESSIONS_KEY,
    queryFn: ({ signal }) =>
      answer(api.GET("/api/v1/sessions", { params: { query: { page: 1, per_page: 1_000 } }, signal })),
  });
}

export function useChangeSelf() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: OwnChanges) => answer(api.PUT("/api/v1/session/me", { body })),
    onSuccess: (session) => {
      queries.setQueryData(SESSION_KEY, startSession(session));
      return queries.invalidateQueries({ queryKey: SESSIONS_KEY });
    },
  });
}

export function useEndSession() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => answer(api.DELETE("/api/v1/sessions/{id}", { params: { path: { id } } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: SESSIONS_KEY }),
  });
}

export function useSignOutEverywhere() {
  return useMutation({
    mutationFn: () => answer(api.DELETE("/api/v1/sessions")),
    onSuccess: forgetSession,
  });
}
