import type { Session } from "@muster/protocol/api/members";
import { useMutation, useQuery } from "@tanstack/react-query";
import { answer, api } from "../client.js";
import { forgetSession, queryClient } from "../query-client.js";
import { SESSION_KEY, startSession } from "./use-session.js";

/** Takes a new session over: what was read for somebody else before is forgotten. */
function takeOver(session: Session): void {
  forgetSession();
  queryClient.setQueryData(SESSION_KEY, startSession(session));
}

/** The ways to sign in. */
export function useSignInOptions() {
  return useQuery({
    queryKey: ["session", "options"],
    queryFn: ({ signal }) => answer(api.GET("/api/v1/session/options", { signal })),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function useSignIn() {
  return useMutation({
    mutationFn: (body: { email: string; password: string }) => answer(api.POST("/api/v1/session", { body })),
    onSuccess: takeOver,
  });
}

export function useMailLink() {
  return useMutation({
    mutationFn: (email: string) => answer(api.POST("/api/v1/session/mail", { body: { email } })),
  });
}

/** Whom a link signs in. It can still be used after this: mail scanners open links too. */
export function useLinkPreview(token: string) {
  return useQuery({
    queryKey: ["session", "link", token],
    queryFn: () => answer(api.POST("/api/v1/session/link/preview", { body: { token } })),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function useSignInWithLink() {
  return useMutation({
    mutationFn: (token: string) => answer(api.POST("/api/v1/session/link", { body: { token } })),
    onSuccess: takeOver,
  });
}

export function useInvitationPreview(token: string) {
  return useQuery({
    queryKey: ["session", "invitation", token],
    queryFn: () => answer(api.POST("/api/v1/invitations/preview", { body: { token } })),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function useAcceptInvitation() {
  return useMutation({
    mutationFn: (body: { token: string; name?: string; password?: string }) =>
      answer(api.POST("/api/v1/invitations/accept", { body })),
    onSuccess: takeOver,
  });
}

export function useSignOut() {
  return useMutation({
    mutationFn: () => answer(api.DELETE("/api/v1/session")),
    onSuccess: forgetSession,
  });
}
