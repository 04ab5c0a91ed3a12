import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "./client.js";
import type { components } from "./schema.js";
import { useOrganization } from "./use-organization.js";
import type { SubjectTarget } from "./use-subjects.js";

export interface View {
  id: number;
  name: string;
  target: SubjectTarget;
  predicate: components["schemas"]["Predicate"];
  search: string;
  columns: { key: string; width?: number }[];
  sort: Record<string, "asc" | "desc">;
}

export type NewView = Omit<View, "id">;

/** The saved views of the list of users or accounts. */
export function useViews(target: SubjectTarget) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "views", target],
    queryFn: async ({ signal }) =>
      (await answer(
        api.GET("/api/v1/views", { params: { query: { target, per_page: 1_000, page: 1 } }, signal }),
      )) as View[],
    staleTime: 10_000,
  });
}

/** Saves, changes and removes views. */
export function useViewChanges() {
  const { id: org } = useOrganization();
  const client = useQueryClient();
  const onSettled = () => client.invalidateQueries({ queryKey: [org, "views"] });
  const create = useMutation({
    mutationFn: async (view: NewView) => (await answer(api.POST("/api/v1/views", { body: view }))) as View,
    onSettled,
  });
  const update = useMutation({
    mutationFn: async ({ id, ...edit }: Partial<NewView> & { id: number }) =>
      (await answer(api.PUT("/api/v1/views/{id}", { params: { path: { id } }, body: edit }))) as View,
    onSettled,
  });
  const remove = useMutation({
    mutationFn: (id: number) => answer(api.DELETE("/api/v1/views/{id}", { params: { path: { id } } })),
    onSettled,
  });
  return { create, update, remove };
}
