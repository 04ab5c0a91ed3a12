/** Something that the palette can open or do. */
export interface PaletteItem {
  id: string;
  label: string;
  /** What it is about, such as the size of a segment. */
  description?: string;
  /** Other words that find it. */
  keywords?: string;
  run: () => void;
}

const SHOWN = 6;

/** The items that have every word of the text, those that begin with it first. */
export function matchItems(items: readonly PaletteItem[], text: string, shown = SHOWN): PaletteItem[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return items
    .flatMap((item) => {
      const label = item.label.toLowerCase();
      const all = `${label} ${item.keywords?.toLowerCase() ?? ""}`;
      return words.every((word) => all.includes(word)) ? [{ item, rank: rankOf(label, words) }] : [];
    })
    .sort((one, other) => one.rank - other.rank)
    .slice(0, shown)
    .map(({ item }) => item);
}

/** 0 for a label that begins with the first word, 1 for one that has a word that does, 2 for the rest. */
function rankOf(label: string, [first = ""]: readonly string[]): number {
  if (label.startsWith(first)) return 0;
  return label.split(/[\s/_-]+/).some((part) => part.startsWith(first)) ? 1 : 2;
}
