import type { NewImport } from "@muster/protocol/api/imports";
import type { JobObject } from "@muster/protocol/api/jobs";
import type { Given } from "@muster/protocol/api/paths";
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, api, send } from "../client.js";
import { useOrganization } from "../session/use-organization.js";

/** How a file is read; what is left out is guessed. */
export type FileOptions = Pick<NewImport, "delimiter"> & { header?: boolean | undefined };

const PART_BYTES = 8 * 1024 * 1024;

/** Sends a file in parts and returns the address that an import takes. */
export async function uploadFile(
  file: File,
  onProgress: (share: number) => void,
  signal: AbortSignal,
): Promise<string> {
  const { id, url } = await answer(api.POST("/api/v1/uploads", { signal }));
  for (let offset = 0; offset < file.size; offset += PART_BYTES) {
    await send(`/api/v1/uploads/${id}?offset=${offset}`, {
      method: "PUT",
      headers: { "content-type": "application/octet-stream" },
      body: file.slice(offset, offset + PART_BYTES),
      signal,
    });
    onProgress(Math.min((offset + PART_BYTES) / file.size, 1));
  }
  return url;
}

/** The columns of a file with their guessed types. */
export function useInspection(url: string, object: JobObject, options: FileOptions) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "inspection", url, object, options],
    enabled: url !== "",
    queryFn: ({ signal }) => {
      const body = { url, object, ...withoutUndefined(options) };
      return answer(api.POST("/api/v1/imports/inspect", { body, signal }));
    },
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
}

/** An import as the screen describes it. */
export type ImportRequest = Omit<Given<typeof NewImport>, "dry_run"> & { object: JobObject; dryRun: boolean };

/** Starts an import, or a dry run of one. */
export function useStartImport() {
  const { id: org } = useOrganization();
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ object, dryRun, delimiter, header, schedule_at, ...rest }: ImportRequest) => {
      // A dry run is wanted now, also of an import that begins later.
      const given = withoutUndefined({ delimiter, header, schedule_at: dryRun ? undefined : schedule_at });
      return answer(api.POST(`/api/v1/import/${object}`, { body: { ...rest, ...given, dry_run: dryRun } }));
    },
    onSettled: () => client.invalidateQueries({ queryKey: [org, "jobs"] }),
  });
}

type Defined<Given> = { [Key in keyof Given]?: Exclude<Given[Key], undefined> };

function withoutUndefined<Given extends object>(given: Given): Defined<Given> {
  // Only keys with a value are left, which the type says too.
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Defined<Given>;
}
