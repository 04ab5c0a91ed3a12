import { type ComboboxParsedItem, defaultOptionsFilter, isOptionsGroup, type OptionsFilter } from "@mantine/core";

const HINT = { value: " others", label: "Type to find the others", disabled: true };

/** The first options that have what is typed. When there are more, a last line says how to find them. */
const firstOptions: OptionsFilter = (asked) => {
  // What is found is among the options, whose values are texts.
  const found = defaultOptionsFilter({ ...asked, limit: Number.POSITIVE_INFINITY }) as ComboboxParsedItem[];
  const count = found.reduce((sum, one) => sum + (isOptionsGroup(one) ? one.items.length : 1), 0);
  return count > asked.limit ? [...(defaultOptionsFilter(asked) as ComboboxParsedItem[]), HINT] : found;
};

/** The props of a list of choices that may have more than anybody reads. */
export const FIRST_OPTIONS = { filter: firstOptions, limit: 100 };
