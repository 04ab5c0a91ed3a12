import { Text } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { namelessWords } from "../../../api/audience/subject-name.js";
import { previewComputed } from "../../../api/audience/use-computed-attributes.js";
import { useOrganization } from "../../../api/session/use-organization.js";
import { TYPE_NAMES } from "../../../filters/type-names.js";
import { ErrorNote } from "../../../ui/page/error-note.js";
import { TextLink } from "../../../ui/page/text-link.js";
import { useTyped } from "../../../ui/state/use-typed.js";
import { formatCount } from "../../../ui/text/format.js";
import { showValue } from "../../../ui/text/show-value.js";
import { TimeText } from "../../../ui/text/time-text.js";
import classes from "./computed.module.css";
import { type ComputedDraft, computeOf } from "./computed-draft.js";
import { whereOf } from "./use-computed-filter.js";

/** The values that some people, or accounts, would get. */
export function ComputedPreview({ draft }: { draft: ComputedDraft }) {
  const { id: org } = useOrganization();
  const { name: _name, description: _description, ...settled } = useTyped(draft);
  const { target, type } = settled;
  const preview = useQuery({
    queryKey: [org, "computed-preview", settled],
    queryFn: async ({ signal }) => {
      const compute = computeOf({ ...settled, name: "", description: "" }, await whereOf(draft, signal));
      if (!compute) return null;
      return await previewComputed({ target, compute, ...(type === undefined ? {} : { type }) }, signal);
    },
    placeholderData: keepPreviousData,
    retry: false,
  });
  const { data, error, isPlaceholderData } = preview;
  if (error) return <ErrorNote error={error} onRetry={() => void preview.refetch()} />;
  if (!data) return null;
  return (
    <div className={classes.preview} data-outdated={isPlaceholderData || undefined}>
      <Text c="dimmed" mb={4} aria-live="polite">
        {data.sample.length === 0
          ? `There are no ${target}s yet.`
          : `${TYPE_NAMES[data.type]}, for ${data.sample.length} of ${formatCount(data.count, target)}:`}
      </Text>
      <ul className={classes.sample} aria-label="Preview">
        {data.sample.map(({ id, name, value }) => (
          <li key={id}>
            <TextLink to={target === "user" ? "/o/$org/users/$id" : "/o/$org/accounts/$id"} params={{ org, id }}>
              {name ?? namelessWords(id)}
            </TextLink>
            <PreviewValue value={value} type={data.type} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function PreviewValue({ value, type }: { value: unknown; type: string }) {
  const isDate = type === "date" && typeof value === "string";
  return (
    <Text component="span" className={classes.value} c={value === null ? "dimmed" : undefined}>
      {isDate ? <TimeText time={value} /> : showValue(value)}
    </Text>
  );
}
