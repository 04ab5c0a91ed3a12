import type { Session } from "@muster/protocol/api/members";
import { useQuery } from "@tanstack/react-query";
import { answer, api, callContext } from "../client.js";

export const SESSION_KEY = ["session"] as const;

export async function readSession(): Promise<Session> {
  return startSession(await answer(api.GET("/api/v1/session")));
}

/** Sends the token of a session with all changes from now on. */
export function startSession(session: Session): Session {
  callContext.csrfToken = session.csrf_token ?? "";
  return session;
}

/** Who is signed in, and in which organizations. */
export function useSession() {
  return useQuery({ queryKey: SESSION_KEY, queryFn: readSession, staleTime: 60_000 });
}
