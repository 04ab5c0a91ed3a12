import type { NewExport as ExportBody, NewExtract as ExtractBody, Job, JobObject } from "@muster/protocol/api/jobs";
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, answerWithHeaders, api, readObject } from "../client.js";
import { BRAND } from "../page-values.js";
import { useOrganization } from "../session/use-organization.js";

const LIVE_MS = 1_000;

export function hasEnded({ status }: Pick<Job, "status">): boolean {
  return status === "completed" || status === "failed" || status === "canceled";
}

/** Jobs, the latest first. */
export function useJobs(page: number, perPage: number) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "jobs", page, perPage],
    queryFn: async ({ signal }) => {
      const { data, headers } = await answerWithHeaders(
        api.GET("/api/v1/jobs", { params: { query: { page, per_page: perPage } }, signal }),
      );
      return { jobs: data, total: Number(headers.get(`${BRAND}-Total-Count`) ?? data.length) };
    },
    refetchInterval: (query) => (query.state.data?.jobs.every(hasEnded) ? LIVE_MS * 5 : LIVE_MS),
    placeholderData: keepPreviousData,
  });
}

/** One job, read again every second until it has ended. */
export function useJob(id: string | undefined) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "job", id],
    enabled: id !== undefined && id !== "",
    queryFn: ({ signal }) => readObject<Job>(id ?? "", signal),
    refetchInterval: (query) => (query.state.data && hasEnded(query.state.data) ? false : LIVE_MS),
  });
}

/** Why rows of an import were refused. */
export function useRefusalReasons(job: Job | undefined) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "refusal-reasons", job?.id, job?.progress.rejected],
    enabled: job !== undefined && job.type === "import" && job.progress.rejected > 0,
    queryFn: async ({ signal }) => {
      const path = { id: job?.id ?? "" };
      return (await answer(api.GET("/api/v1/imports/{id}/reasons", { params: { path }, signal }))).reasons;
    },
  });
}

type NewExtract = Pick<ExtractBody, "format" | "fields" | "query" | "name"> & { object: JobObject };
type NewExport = Pick<ExportBody, "object" | "query"> & { connectorId: string };

/** Starts and cancels jobs. */
export function useJobChanges() {
  const { id: org } = useOrganization();
  const client = useQueryClient();
  const onSettled = () => client.invalidateQueries({ queryKey: [org, "jobs"] });
  const extract = useMutation({
    mutationFn: ({ object, ...body }: NewExtract) =>
      answer(
        api.POST(`/api/v1/extract/${object}`, {
          body: { url: null, ...body },
        }),
      ),
    onSettled,
  });
  const exportTo = useMutation({
    mutationFn: ({ connectorId, ...body }: NewExport) =>
      answer(api.POST("/api/v1/{id}/export", { params: { path: { id: connectorId } }, body })),
    onSettled,
  });
  const cancel = useMutation({
    mutationFn: (id: string) => answer(api.DELETE("/api/v1/{id}", { params: { path: { id } } })),
    onSettled,
  });
  return { extract, exportTo, cancel };
}
