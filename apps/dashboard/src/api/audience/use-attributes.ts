import type { SubjectType } from "@muster/protocol";
import type { AttributeChange, AttributeFigure, Distribution, WaitingAttribute } from "@muster/protocol/api/attributes";
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, answerWithHeaders, api, send } from "../client.js";
import { BRAND } from "../page-values.js";
import { useOrganization } from "../session/use-organization.js";

/** Every field of the reports, and how many subjects have a value of it. */
export interface AttributeFigures {
  total: number;
  age_ms: number;
  attributes: AttributeFigure[];
  /** Attributes that pages sent and could not define. */
  waiting: WaitingAttribute[];
  /** The question engine is being filled again. */
  isIncomplete: boolean;
}

const REFRESH_MS = 5_000;

const figuresKey = (org: string, subjectType: SubjectType) => [org, "attributes", subjectType] as const;

export function useAttributeFigures(subjectType: SubjectType) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: figuresKey(org, subjectType),
    queryFn: async ({ signal }): Promise<AttributeFigures> => {
      const path = subjectType === "user" ? "/api/v1/users/attributes" : "/api/v1/accounts/attributes";
      const { data, headers } = await answerWithHeaders(api.GET(path, { signal }));
      return { ...data, isIncomplete: headers.get(`${BRAND}-Incomplete`) === "true" };
    },
    refetchInterval: REFRESH_MS,
  });
}

/** The values of one attribute: the most frequent ones, and a histogram of numbers and dates. */
export function useDistribution(subjectType: SubjectType, key: string, { isEnabled = true } = {}) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "distribution", subjectType, key],
    queryFn: async ({ signal }): Promise<Distribution> => {
      // The name may hold slashes, which the typed client does not put into a path.
      const path = `/api/v1/charts/${subjectType}_traits/${encodeURIComponent(key)}?size=20`;
      return (await (await send(path, { method: "GET", signal })).json()) as Distribution;
    },
    enabled: isEnabled,
    staleTime: 10_000,
    placeholderData: keepPreviousData,
  });
}

export type AttributeFlags = Pick<
  AttributeChange,
  "visible" | "track_changes" | "server_only" | "label" | "description"
>;

/** Changes the flags of an attribute. The list shows the change at once, and takes it back when the server refuses. */
export function useChangeAttribute(subjectType: SubjectType) {
  const { id: org } = useOrganization();
  const queries = useQueryClient();
  const key = figuresKey(org, subjectType);
  return useMutation({
    mutationFn: ({ name, flags }: { name: string; flags: AttributeFlags }) => putAttribute(subjectType, name, flags),
    onMutate: async ({ name, flags }) => {
      await queries.cancelQueries({ queryKey: key });
      const before = queries.getQueryData<AttributeFigures>(key);
      queries.setQueryData<AttributeFigures>(
        key,
        (figures) =>
          figures && {
            ...figures,
            attributes: figures.attributes.map((one) =>
              one.name === name && !one.standard
                ? { ...one, ...flags, server_only: flags.server_only ?? one.server_only }
                : one,
            ),
          },
      );
      return { before };
    },
    onError: (_error, _change, context) => {
      if (context?.before) queries.setQueryData(key, context.before);
    },
    onSettled: () => queries.invalidateQueries({ queryKey: key }),
  });
}

/** Defines an attribute before a record carries it. */
export function useDefineAttribute(subjectType: SubjectType) {
  const { id: org } = useOrganization();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ name, ...definition }: Pick<AttributeChange, "type" | "server_only"> & { name: string }) =>
      putAttribute(subjectType, name, definition),
    onSettled: () => queries.invalidateQueries({ queryKey: figuresKey(org, subjectType) }),
  });
}

function putAttribute(
  subjectType: SubjectType,
  name: string,
  // The type of an attribute that waits is a text; the server checks it.
  change: Omit<AttributeChange, "type"> & { type?: string },
): Promise<Response> {
  // The name may hold slashes, which the typed client does not put into a path.
  return send(`/api/v1/settings/${subjectType}_traits/${encodeURIComponent(name)}`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(change),
  });
}

/** Defines an attribute that pages could not define, and applies the records again that were refused because of it. */
export function useDefineWaiting(subjectType: SubjectType) {
  const { id: org } = useOrganization();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async ({ name, type }: WaitingAttribute) => {
      await putAttribute(subjectType, name, { type });
      const selection = { code: "invalid_attribute", text: JSON.stringify(name) };
      // One call takes the oldest 5,000, which is enough for what pages send within a day or two.
      return (await answer(api.POST("/api/v1/ingestion/rejected/retry", { body: selection }))).retried;
    },
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: figuresKey(org, subjectType) }),
        queries.invalidateQueries({ queryKey: [org, "rejected"] }),
      ]),
  });
}
