/** The colours of series, by their place; they begin again after the last one. */
const COLOURS = ["--accent-fill", "--late-fill", "--good-fill", "--bad-fill", "--mantine-color-grape-6"];
const MORE = ["--mantine-color-cyan-6", "--mantine-color-orange-6", "--mantine-color-teal-6", "--mantine-color-pink-6"];

export function colourOf(place: number): string {
  const all = [...COLOURS, ...MORE];
  return all[place % all.length] ?? "--accent-fill";
}
