import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "../client.js";
import { useOrganization } from "../session/use-organization.js";

/** When a connector wrote what is undone, as ISO times. */
export interface WriteRange {
  from: string;
  to: string;
}

/** The undo of a job, or of what a connector wrote in a range of time: first a dry run, which begins at once, then the undo. */
export function useUndo(id: string, range?: WriteRange) {
  const { id: org } = useOrganization();
  const client = useQueryClient();
  const start = (dry_run: boolean) =>
    answer(api.POST("/api/v1/{id}/revert", { params: { path: { id } }, body: { ...range, dry_run } }));
  const preview = useQuery({
    queryKey: [org, "undo-preview", id, range],
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
