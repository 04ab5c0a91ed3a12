import { Text } from "@mantine/core";
import type { SubjectType } from "@muster/protocol";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useSegmentsOf } from "../../api/audience/use-segments-of.js";
import { answer, api } from "../../api/client.js";
import { useOrganization } from "../../api/session/use-organization.js";
import { ErrorNote } from "../../ui/page/error-note.js";
import { formatCount, formatNumber } from "../../ui/text/format.js";
import { ChoiceInput } from "../choice-input.js";
import { chosenSegments, queryOfSegments } from "../chosen-segments.js";
import { isList } from "../control-kind.js";
import type { ControlProps } from "../control-props.js";
import { errorSentence } from "../field-errors.js";

/** One segment or several, with the standard ones of the manifest first, and how many that are. */
export function SegmentsControl({ setting, value, onChange, label, errors, isDisabled }: ControlProps) {
  const subjectType = setting.format === "segment" ? "user" : "account";
  const { data: segments = [], error, refetch } = useSegmentsOf(subjectType);
  const [first] = errors;
  const choices = [...setting.options.standard, ...segments.map(({ id, name }) => ({ value: id, label: name }))];
  const before = Array.isArray(value) ? (value as unknown[]) : [];
  return (
    <>
      <ChoiceInput
        label={label}
        value={value}
        onChange={(next) => onChange(Array.isArray(next) ? chosenSegments(before, next) : next)}
        choices={choices}
        isMultiple={isList(setting)}
        placeholder={setting.options.placeholder ?? (isList(setting) ? "Choose segments" : "Choose a segment")}
        error={errorSentence(errors) ?? first?.message}
        isDisabled={isDisabled}
      />
      <ChosenCount value={value} subjectType={subjectType} />
      {error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : null}
    </>
  );
}

/** How many are in the chosen segments: what the choice does, before it is saved. */
function ChosenCount({ value, subjectType }: { value: unknown; subjectType: SubjectType }) {
  const { id: org } = useOrganization();
  const query = queryOfSegments(value);
  const { data } = useQuery({
    queryKey: [org, "chosen-segments", subjectType, query],
    queryFn: ({ signal }) =>
      answer(
        api.POST("/api/v1/segments/count", {
          body: { query: query ?? {}, type: subjectType === "user" ? "users_segment" : "accounts_segment" },
          signal,
        }),
      ),
    enabled: query !== undefined,
    placeholderData: keepPreviousData,
    // A value that is no segment has no count.
    retry: false,
  });
  if (!query || !data) return null;
  return (
    <Text c="dimmed" size="xs">
      {formatCount(data.count, subjectType)} of {formatNumber(data.total)}
    </Text>
  );
}
