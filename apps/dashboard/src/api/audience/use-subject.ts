import { NAMING_FIELDS, type SubjectType } from "@muster/protocol";
import type { UnmergeChoices, UnmergePreview } from "@muster/protocol/api/merges";
import type { JoinedSegment } from "@muster/protocol/api/segments";
import type { Report, User } from "@muster/protocol/api/subjects";
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { answer, api, readObject } from "../client.js";
import { useOrganization } from "../session/use-organization.js";

/** The report of a user or account, with its segments. */
type ReportWithSegments = Report & { segments: JoinedSegment[] };

// The timeline is polled more often, and makes these be read again when something has happened.
const LIVE_MS = 10_000;

/** Everything that is read about one user or account has a key that begins so. */
export function subjectKey(org: string, id: string): readonly string[] {
  return [org, "subject", id];
}

/** Reads everything about a subject again, but the pages of its timeline: those keep themselves up to date. */
export function useRefreshSubject(id: string): () => Promise<void> {
  const { id: org } = useOrganization();
  const client = useQueryClient();
  return useCallback(
    () =>
      client.invalidateQueries({
        queryKey: subjectKey(org, id),
        predicate: ({ queryKey }) => !(queryKey.includes("timeline") && queryKey.includes("pages")),
      }),
    [client, org, id],
  );
}

/** The report of a user or account, with its segments. */
export function useSubject(type: SubjectType, id: string) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [...subjectKey(org, id), "report"],
    queryFn: async ({ signal }) => {
      const path = { path: { id } };
      const report =
        type === "user"
          ? await answer(api.GET("/api/v1/{id}/user_report", { params: path, signal }))
          : await answer(api.GET("/api/v1/{id}/account_report", { params: path, signal }));
      return report as ReportWithSegments;
    },
    refetchInterval: LIVE_MS,
  });
}

/** The attributes of a user or account, with who wrote them and what they were before. */
export function useSubjectAttributes(id: string) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [...subjectKey(org, id), "attributes"],
    queryFn: async ({ signal }) =>
      (await answer(api.GET("/api/v1/{id}/attributes", { params: { path: { id } }, signal }))).attributes,
    refetchInterval: LIVE_MS,
  });
}

/** The attributes of a user or account as they were at a moment, and the ids of its segments then. */
export function useSubjectPast(type: SubjectType, id: string, at: string) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [...subjectKey(org, id), "past", at],
    queryFn: async ({ signal }) => {
      const params = { path: { id }, query: { at } };
      const [known, report] = await Promise.all([
        answer(api.GET("/api/v1/{id}/attributes", { params, signal })),
        type === "user"
          ? answer(api.GET("/api/v1/{id}/user_report", { params, signal }))
          : answer(api.GET("/api/v1/{id}/account_report", { params, signal })),
      ]);
      return { ...known, segmentIds: report.segment_ids as string[] };
    },
    enabled: at !== "",
    placeholderData: keepPreviousData,
    // What was known at a moment does not change, unless somebody is erased.
    staleTime: 60_000,
  });
}

/** Writes values of a user or account by hand; null unsets an attribute. */
export function useWriteAttributes(id: string) {
  const refresh = useRefreshSubject(id);
  return useMutation({
    mutationFn: (attributes: Record<string, unknown>) =>
      answer(api.PUT("/api/v1/{id}/attributes", { params: { path: { id } }, body: { attributes } })),
    onSettled: refresh,
  });
}

/** What a subject is found by, and what was merged into it. */
export function useIdentity(id: string) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [...subjectKey(org, id), "identity"],
    queryFn: ({ signal }) => answer(api.GET("/api/v1/{id}/identity", { params: { path: { id } }, signal })),
  });
}

/** The merges of a subject, and which of them can be undone. */
export function useMerges(id: string) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [...subjectKey(org, id), "merges"],
    queryFn: ({ signal }) => answer(api.GET("/api/v1/{id}/merges", { params: { path: { id } }, signal })),
  });
}

/** What undoing a merge would do. */
export function useUnmergePreview(id: string, mergedId: string, choices: UnmergeChoices) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [...subjectKey(org, id), "unmerge", mergedId, choices],
    queryFn: async ({ signal }) => {
      const body = { merged_id: mergedId, dry_run: true, choices };
      const preview = await answer(api.POST("/api/v1/{id}/unmerge", { params: { path: { id } }, body, signal }));
      return preview as UnmergePreview;
    },
    enabled: mergedId !== "",
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
}

/** Undoes a merge. */
export function useUnmerge(id: string) {
  const refresh = useRefreshSubject(id);
  return useMutation({
    mutationFn: (body: { merged_id: string; never_again: boolean; choices: UnmergeChoices }) =>
      answer(api.POST("/api/v1/{id}/unmerge", { params: { path: { id } }, body })),
    onSettled: refresh,
  });
}

/** Why a subject is in a segment or not. */
export function useExplanation(id: string, segmentId: string) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [...subjectKey(org, id), "explain", segmentId],
    queryFn: ({ signal }) =>
      answer(
        api.GET("/api/v1/{id}/segments/{segment_id}/explain", {
          params: { path: { id, segment_id: segmentId } },
          signal,
        }),
      ),
    enabled: segmentId !== "",
    placeholderData: keepPreviousData,
  });
}

/** The marks and settings of a user, and how often it did what. */
export function useUserRecord(id: string, isUser: boolean) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [...subjectKey(org, id), "record"],
    queryFn: async ({ signal }) => {
      const { is_admin: isAdmin, approved: isApproved, settings, stats } = await readObject<User>(id, signal);
      return { isAdmin, isApproved, notifications: settings.notifications, actions: stats.actions };
    },
    enabled: isUser,
  });
}

/** The users of an account, the last seen first. */
export function useAccountUsers(accountId: string) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [...subjectKey(org, accountId), "users"],
    queryFn: ({ signal }) =>
      answer(
        api.POST("/api/v1/search/user_reports", {
          body: {
            query: { term: { account_id: accountId } },
            sort: { last_seen_at: "desc" },
            per_page: 100,
            include: ["id", ...NAMING_FIELDS, "last_seen_at", "created_at"],
          },
          signal,
        }),
      ),
    refetchInterval: LIVE_MS,
  });
}
