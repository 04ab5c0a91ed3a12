import { describeConfig, readConfig } from "../../runtime/settings/config.js";
import { markdownTable } from "../markdown-table.js";

/** What is limited, the limit, and the setting that changes it; without a setting, nothing does. */
export type Limit = readonly [what: string, limit: string, setting?: string];

export const NO_LIMIT = "none";

export function limitsTable(limits: readonly Limit[]): string {
  return markdownTable(
    ["What", "Limit", "Setting"],
    limits.map(([what, limit, setting]) => [what, limit, setting === undefined ? fixed(limit) : `\`${setting}\``]),
  );
}

function fixed(limit: string): string {
  return limit === NO_LIMIT ? "" : "fixed";
}

/** A limit that is a setting, with its default. */
export function settingLimit(what: string, env: string, unit = ""): Limit {
  const found = describeConfig(readConfig({})).find((setting) => setting.env === env);
  if (found?.default === undefined) throw new Error(`There is no setting ${env} with a default.`);
  return [what, `${withCommas(Number(found.default))}${unit}`, env];
}

export function withCommas(number: number): string {
  return number.toLocaleString("en-US");
}
