/** A setting of the server: a variable of the environment, and how its text is read. */
export interface Setting<Value> {
  env: string;
  description: string;
  default: string | undefined;
  secret: boolean;
  read(text: string): Value;
}

export function optional<Value>(
  env: string,
  description: string,
  read: (text: string) => Value,
): Setting<Value | undefined> {
  return { env, description, default: undefined, secret: false, read };
}

export function setting<Value>(env: string, fallback: string, description: string, read: (text: string) => Value) {
  return { env, description, default: fallback, secret: false, read } satisfies Setting<Value>;
}

export function secret<Value>(from: Setting<Value>): Setting<Value> {
  return { ...from, secret: true };
}
