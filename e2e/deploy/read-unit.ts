/** A systemd unit: its sections with their keys. A key may be there several times. */
export type Unit = Partial<Record<string, Partial<Record<string, string[]>>>>;

/** @example readUnit("[Service]\nUser=muster").Service?.User // ["muster"] */
export function readUnit(text: string): Unit {
  const unit: Unit = {};
  let section: Partial<Record<string, string[]>> = {};
  for (const line of text.split("\n").filter((each) => each !== "" && !each.startsWith("#"))) {
    const name = /^\[(.+)\]$/.exec(line)?.[1];
    if (name === undefined) {
      const [key = "", ...value] = line.split("=");
      section[key] = [...(section[key] ?? []), value.join("=")];
    } else {
      section = {};
      unit[name] = section;
    }
  }
  return unit;
}
