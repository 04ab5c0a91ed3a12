/** A problem of a setting: at the setting itself, or at a place in its value such as `2.service`. */
export interface FieldError {
  at: string;
  message: string;
}

/** The problems that the server found, by the path of the setting: `private_settings.mapping`. */
export function fieldErrors(details: readonly { path: string; message: string }[]): Map<string, FieldError[]> {
  const found = new Map<string, FieldError[]>();
  for (const { path, message } of details) {
    const [body, group, name, ...at] = path.split(".");
    if (body !== "body" || group === undefined || name === undefined) continue;
    const key = `${group}.${name}`;
    found.set(key, [...(found.get(key) ?? []), { at: at.join("."), message }]);
  }
  return found;
}

/** The problems of one part of a value, with the places from there on. */
export function errorsAt(errors: readonly FieldError[], part: string | number): FieldError[] {
  const prefix = `${part}`;
  return errors.flatMap(({ at, message }) => {
    if (at === prefix) return [{ at: "", message }];
    return at.startsWith(`${prefix}.`) ? [{ at: at.slice(prefix.length + 1), message }] : [];
  });
}

/** The sentence for a problem. The server's texts follow the name of the value: "must be an address". */
export function errorSentence(errors: readonly FieldError[]): string | undefined {
  const own = errors.filter(({ at }) => at === "").map(({ message }) => message);
  if (own.length === 0) return undefined;
  const text = own.join("; ");
  const sentence = /^(must|is|cannot) /.test(text) ? `It ${text}` : text;
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}
