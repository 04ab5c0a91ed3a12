import type { AttributeFigure } from "@muster/protocol/api/attributes";
import type { ComputedAttribute } from "@muster/protocol/api/computed-attributes";
import type { Sort } from "../../ui/table/data-table.js";

const VALUES: Record<string, (figure: AttributeFigure) => string | number> = {
  name: (figure) => calledBy(figure).toLowerCase(),
  group: ({ group, standard }) => group ?? (standard ? "standard" : ""),
  type: ({ type }) => type,
  filled: ({ count }) => count ?? -1,
  seen: ({ last_seen_at }) => last_seen_at ?? "",
};

interface Choice {
  text: string;
  shown: string;
  sort: Sort;
  computed: readonly ComputedAttribute[];
}

/** The attributes whose name, group and label have all the words, in order. */
export function sortAttributes(
  figures: readonly AttributeFigure[],
  { text, shown, sort, computed }: Choice,
): AttributeFigure[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const sortBy = VALUES[sort.column] ?? VALUES.name;
  const sign = sort.direction === "asc" ? 1 : -1;
  return figures
    .filter((figure) => {
      const text = `${figure.key} ${figure.label}`.toLowerCase();
      return isShown(figure, shown, computed) && words.every((word) => text.includes(word));
    })
    .sort(
      (one, other) =>
        sign * compare(sortBy?.(one), sortBy?.(other)) ||
        // The organization's own come before standard fields.
        Number(one.standard) - Number(other.standard) ||
        compare(calledBy(one), calledBy(other)),
    );
}

/** What the column of names begins with. */
function calledBy({ label, name }: AttributeFigure): string {
  return label === "" ? name : label;
}

function isShown(
  { standard, visible, name }: AttributeFigure,
  shown: string,
  computed: readonly ComputedAttribute[],
): boolean {
  if (shown === "computed") return !standard && computed.some((one) => one.name === name);
  if (shown === "custom") return !standard;
  if (shown === "standard") return standard;
  return shown === "hidden" ? !visible : true;
}

function compare(one: string | number = "", other: string | number = ""): number {
  return one === other ? 0 : one < other ? -1 : 1;
}
