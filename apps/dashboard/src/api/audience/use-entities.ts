import { NAMING_FIELDS } from "@muster/protocol";
import type { Entity } from "@muster/protocol/api/entities";
import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { answer, answerWithHeaders, api, readObject } from "../client.js";
import { BRAND } from "../page-values.js";
import { useOrganization } from "../session/use-organization.js";

const PER_PAGE = 100;
const LIVE_MS = 5_000;
/** How many of the last events, and of the users who acted, are shown. */
export const SHOWN_ACTIONS = 20;

/** The entities of the organization, or those that have a text as their name, uid, address, type or tag. */
export function useEntities(text: string) {
  const { id: org } = useOrganization();
  return useInfiniteQuery({
    queryKey: [org, "entities", text],
    queryFn: async ({ pageParam, signal }) => {
      const where = text === "" ? {} : { where: JSON.stringify(wanted(text)) };
      const query = { page: pageParam, per_page: PER_PAGE, ...where };
      const { data, headers } = await answerWithHeaders(api.GET("/api/v1/entities", { params: { query }, signal }));
      return { entities: data, total: Number(headers.get(`${BRAND}-Total-Count`) ?? data.length) };
    },
    initialPageParam: 1,
    getNextPageParam: ({ entities }, _all, page) => (entities.length < PER_PAGE ? undefined : page + 1),
    placeholderData: keepPreviousData,
  });
}

/** The API compares whole values, of the fields that people know. */
function wanted(text: string): object {
  return { $or: ["id", "uid", "url", "name", "type", "tags"].map((field) => ({ [field]: text })) };
}

export function useEntity(id: string) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "entity", id],
    queryFn: ({ signal }) => readObject<Entity>(id, signal),
    enabled: id !== "",
    refetchInterval: LIVE_MS,
  });
}

/** The last events that acted on an entity. */
export function useEntityEvents(id: string) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "entity", id, "events"],
    queryFn: ({ signal }) =>
      answer(
        api.POST("/api/v1/search/events", {
          body: { query: { term: { entity_id: id } }, sort: { created_at: "desc" }, per_page: SHOWN_ACTIONS },
          signal,
        }),
      ),
    refetchInterval: LIVE_MS,
  });
}

/** The users who acted on an entity, the last seen first. */
export function useEntityUsers(id: string) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "entity", id, "users"],
    queryFn: ({ signal }) =>
      answer(
        api.POST("/api/v1/search/user_reports", {
          body: {
            query: { has_child: { type: "event", query: { term: { entity_id: id } } } },
            sort: { last_seen_at: "desc" },
            per_page: SHOWN_ACTIONS,
            include: ["id", ...NAMING_FIELDS, "last_seen_at"],
          },
          signal,
        }),
      ),
    refetchInterval: LIVE_MS,
  });
}
