import { isObject } from "@muster/protocol";
/** A setting that a connector declares for its deployments and that a plain field can edit. */
export interface PlainSetting {
  name: string;
  title: string;
  description: string | undefined;
  kind: "text" | "number" | "boolean" | "choice";
  choices: string[];
  fallback: unknown;
}

/** The settings of deployments in a manifest that plain fields can edit. Others keep their values. */
export function settingsIn(manifest: unknown): PlainSetting[] {
  const declared = isObject(manifest) ? manifest.deployment_settings : undefined;
  if (!Array.isArray(declared)) return [];
  return declared.filter(isObject).flatMap((setting): PlainSetting[] => {
    const { name, title, description, type, enum: choices, default: fallback } = setting;
    const kind = kindOf(type, choices);
    if (typeof name !== "string" || kind === undefined) return [];
    return [
      {
        name,
        title: typeof title === "string" ? title : name,
        description: typeof description === "string" ? description : undefined,
        kind,
        choices: kind === "choice" ? (choices as string[]) : [],
        fallback,
      },
    ];
  });
}

function kindOf(type: unknown, choices: unknown): PlainSetting["kind"] | undefined {
  if (type === "boolean") return "boolean";
  if (type === "number" || type === "integer") return "number";
  if (type !== "string") return undefined;
  return Array.isArray(choices) && choices.every((choice) => typeof choice === "string") ? "choice" : "text";
}
