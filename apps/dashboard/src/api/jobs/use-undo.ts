import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "../client.js";
import { useOrganization } from "../session/use-organization.js";

/** The undo of a job: first a dry run, which begins at once, then the undo itself. */
export function useUndo(jobId: string) {
  const { id: org } = useOrganization();
  const client = useQueryClient();
  const start = (dry_run: boolean) =>
    answer(api.POST("/api/v1/{id}/revert", { params: { path: { id: jobId } }, body: { dry_run } }));
  const preview = useQuery({
    queryKey: [org, "undo-preview", jobId],
    queryFn: () => start(true),
    // Each look counts anew: others write meanwhile.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const undo = useMutation({
    mutationFn: () => start(false),
    onSettled: () => client.invalidateQueries({ queryKey: [org, "jobs"] }),
  });
  return { preview, undo };
}
