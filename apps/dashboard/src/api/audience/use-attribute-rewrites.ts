import type { SubjectType } from "@muster/protocol";
import type { AttributeType } from "@muster/protocol/api/choices";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "../client.js";
import { useOrganization } from "../session/use-organization.js";

const objectOf = (subjectType: SubjectType) => (subjectType === "user" ? "users" : "accounts");

/** What a change of the type of an attribute would do. Nothing is asked while no type is chosen. */
export function useConversionPreview(subjectType: SubjectType, name: string, type: AttributeType | undefined) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "conversion", subjectType, name, type],
    queryFn: ({ signal }) =>
      answer(
        api.POST("/api/v1/attributes/preview", {
          body: { object: objectOf(subjectType), name, type: type ?? "string" },
          signal,
        }),
      ),
    enabled: type !== undefined,
  });
}

/** Gives an attribute another type, or deletes it, for everybody. Each answers with its job. */
export function useAttributeRewrites(subjectType: SubjectType) {
  const { id: org } = useOrganization();
  const queries = useQueryClient();
  const object = objectOf(subjectType);
  const onSettled = () => queries.invalidateQueries({ queryKey: [org, "attributes", subjectType] });
  const convert = useMutation({
    mutationFn: ({ name, type }: { name: string; type: AttributeType }) =>
      answer(api.POST("/api/v1/attributes/convert", { body: { object, name, type } })),
    onSettled,
  });
  const remove = useMutation({
    mutationFn: ({ name }: { name: string }) =>
      answer(api.POST("/api/v1/attributes/delete", { body: { object, name } })),
    onSettled,
  });
  return { convert, remove };
}
