import type { SubjectType } from "@muster/protocol";
import { useCallback, useMemo } from "react";
import { useReportFields } from "../../api/audience/use-report-fields.js";
import { attributeName } from "../../ui/text/words.js";

/** What people call an attribute: its label where somebody gave it one, else its name. */
export type AttributeLabel = (name: string) => string;

/** What the attributes of users or accounts are called, by their names. */
export function useAttributeLabels(type: SubjectType): AttributeLabel {
  const { data: fields } = useReportFields(type);
  const labels = useMemo(() => {
    // A user has the fields of the account too, whose names may be the same.
    const own = (fields ?? []).filter(({ key, label }) => label !== "" && !key.startsWith("account."));
    return new Map(own.map(({ key, label }) => [attributeName(key), label]));
  }, [fields]);
  return useCallback((name) => labels.get(name) ?? name, [labels]);
}
