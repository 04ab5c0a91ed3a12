const early = new Map<string, Promise<Response>>();

/** Begins a call before the code is there that reads its answer. The first one to make the same call gets it. */
export function askEarly(path: string): void {
  const answer = fetch(path, { credentials: "same-origin" });
  // A failure is told to the one who makes the call.
  answer.catch(() => undefined);
  early.set(path, answer);
}

/** The answer to a call that was begun early, once. */
export function takeEarly({ method, url }: Request): Promise<Response> | undefined {
  const { pathname, search } = new URL(url);
  const path = pathname + search;
  const answer = method === "GET" ? early.get(path) : undefined;
  early.delete(path);
  return answer;
}
