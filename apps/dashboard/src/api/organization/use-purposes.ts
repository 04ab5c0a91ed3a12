import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "../client.js";
import { useOrganization } from "../session/use-organization.js";

/** What the people of the organization agree to. */
export function usePurposes() {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "purposes"],
    queryFn: ({ signal }) => answer(api.GET("/api/v1/purposes", { params: { query: { per_page: 100 } }, signal })),
    staleTime: 10_000,
  });
}

/** Saves and removes purposes. */
export function usePurposeChanges() {
  const { id: org } = useOrganization();
  const client = useQueryClient();
  const onSettled = () => client.invalidateQueries({ queryKey: [org, "purposes"] });
  const save = useMutation({
    mutationFn: ({ name, description }: { name: string; description: string }) =>
      answer(api.PUT("/api/v1/purposes/{name}", { params: { path: { name } }, body: { description } })),
    onSettled,
  });
  const remove = useMutation({
    mutationFn: (name: string) => answer(api.DELETE("/api/v1/purposes/{name}", { params: { path: { name } } })),
    onSettled,
  });
  return { save, remove };
}
