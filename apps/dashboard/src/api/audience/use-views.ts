import type { SubjectType } from "@muster/protocol";
import type { ViewDefinition } from "@muster/protocol/api/views";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "../client.js";
import { useOrganization } from "../session/use-organization.js";

export type NewView = ViewDefinition;

/** The saved views of the list of users or accounts. */
export function useViews(target: SubjectType) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "views", target],
    queryFn: ({ signal }) =>
      answer(api.GET("/api/v1/views", { params: { query: { target, per_page: 1_000, page: 1 } }, signal })),
    staleTime: 10_000,
  });
}

/** Saves, changes and removes views. */
export function useViewChanges() {
  const { id: org } = useOrganization();
  const client = useQueryClient();
  const onSettled = () => client.invalidateQueries({ queryKey: [org, "views"] });
  const create = useMutation({
    mutationFn: (view: NewView) => answer(api.POST("/api/v1/views", { body: view })),
    onSettled,
  });
  const update = useMutation({
    mutationFn: ({ id, ...edit }: Partial<NewView> & { id: number }) =>
      answer(api.PUT("/api/v1/views/{id}", { params: { path: { id } }, body: edit })),
    onSettled,
  });
  const remove = useMutation({
    mutationFn: (id: number) => answer(api.DELETE("/api/v1/views/{id}", { params: { path: { id } } })),
    onSettled,
  });
  return { create, update, remove };
}
