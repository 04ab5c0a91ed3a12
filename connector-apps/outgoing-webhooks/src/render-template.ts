const PATH = /{{\s*([^{}]+?)\s*}}/g;
const WHOLE = /^{{\s*([^{}]+?)\s*}}$/;

/**
 * Replaces the `{{paths}}` in the strings of a template. A string that is exactly one path becomes the value with its
 * type. In a string with other text, the value becomes text. A path without a value becomes null, or no text.
 *
 * @example
 * renderTemplate({ to: "{{user.email}}" }, { user: { email: "ada@example.com" } }); // { to: "ada@example.com" }
 */
export function renderTemplate(template: unknown, data: Readonly<Record<string, unknown>>): unknown {
  if (typeof template === "string") return renderText(template, data);
  if (Array.isArray(template)) return template.map((each) => renderTemplate(each, data));
  if (typeof template !== "object" || template === null) return template;
  return Object.fromEntries(Object.entries(template).map(([key, value]) => [key, renderTemplate(value, data)]));
}

function renderText(text: string, data: Readonly<Record<string, unknown>>): unknown {
  const whole = WHOLE.exec(text);
  if (whole) return valueAt(data, whole[1] ?? "") ?? null;
  return text.replace(PATH, (_match, path: string) => {
    const value = valueAt(data, path);
    if (value === undefined || value === null) return "";
    return typeof value === "object" ? JSON.stringify(value) : String(value);
  });
}

function valueAt(data: unknown, path: string): unknown {
  let value = data;
  for (const part of path.split(".")) {
    // Only own properties: a path cannot reach those that every object inherits.
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<string, unknown>)[part];
  }
  return value;
}
