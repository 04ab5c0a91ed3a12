import type { SubjectType } from "@muster/protocol";
import type { Compute, ComputedExplanation, NewComputedAttribute } from "@muster/protocol/api/computed-attributes";
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, api, send } from "../client.js";
import { useOrganization } from "../session/use-organization.js";

/** While values are computed, the progress is looked at more often. */
const COMPUTING_MS = 1_000;
const REFRESH_MS = 10_000;

const listKey = (org: string) => [org, "computed-attributes"] as const;

/** The attributes of users or accounts that are computed. */
export function useComputedAttributes(target: SubjectType) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [...listKey(org), target],
    queryFn: ({ signal }) =>
      answer(api.GET("/api/v1/computed_attributes", { params: { query: { target, per_page: 1_000 } }, signal })),
    refetchInterval: ({ state }) =>
      state.data?.some(({ status }) => status === "computing") ? COMPUTING_MS : REFRESH_MS,
  });
}

export type AskedPreview = Pick<NewComputedAttribute, "target" | "compute" | "type">;

/** What a definition would give, without storing it. */
export function previewComputed(body: AskedPreview, signal: AbortSignal) {
  return answer(api.POST("/api/v1/computed_attributes/preview", { body, signal }));
}

/** Creates, changes and deletes computed attributes. */
export function useComputedChanges() {
  const { id: org } = useOrganization();
  const queries = useQueryClient();
  const onSettled = () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: listKey(org) }),
      queries.invalidateQueries({ queryKey: [org, "attributes"] }),
      queries.invalidateQueries({ queryKey: [org, "filter-schema"] }),
    ]);
  const create = useMutation({
    mutationFn: (body: NewComputedAttribute) => answer(api.POST("/api/v1/computed_attributes", { body })),
    onSettled,
  });
  const change = useMutation({
    mutationFn: ({ id, ...body }: { id: string; compute?: Compute; description?: string }) =>
      answer(api.PUT("/api/v1/computed_attributes/{id}", { params: { path: { id } }, body })),
    onSettled,
  });
  const remove = useMutation({
    mutationFn: ({ id, values }: { id: string; values: "delete" | "keep" }) =>
      answer(api.DELETE("/api/v1/computed_attributes/{id}", { params: { path: { id }, query: { values } } })),
    onSettled,
  });
  return { create, change, remove };
}

/** How the computed value of a user or an account came to be. */
export function useComputedExplanation(subjectId: string, name: string, value: unknown) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "computed-explanation", subjectId, name, value],
    queryFn: async ({ signal }): Promise<ComputedExplanation> => {
      // The name may hold slashes, which the typed client does not put into a path.
      const path = `/api/v1/${subjectId}/computed_attributes/${encodeURIComponent(name)}`;
      return (await (await send(path, { method: "GET", signal })).json()) as ComputedExplanation;
    },
    placeholderData: keepPreviousData,
  });
}
