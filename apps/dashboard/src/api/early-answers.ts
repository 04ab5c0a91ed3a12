interface EarlyCall {
  path: string;
  /** What a POST asks. Without it, the call is a GET. */
  body?: object;
  /** The header that names the organization, and its id. */
  organization?: { header: string; id: string };
}

const early = new Map<string, EarlyCall & { response: Promise<Response | undefined>; askedAt: number }>();

/** An answer that nobody has wanted for so long is not current any more. */
const CURRENT_MS = 10_000;

/** Begins a call before the code is there that reads its answer. The first one to make the same call gets it. */
export function askEarly(call: EarlyCall): Promise<Response> {
  const { path, organization } = call;
  const headers = organization ? { [organization.header]: organization.id } : {};
  const response = ask(path, { headers });
  keep(call, response);
  return response;
}

/**
 * Begins a question with a body as soon as the answer about the session is there: it has the token that shows that a POST
 * comes from our page. Nothing is asked for somebody who is not signed in.
 */
export function askEarlyWithBody(call: EarlyCall & { body: object }, session: Promise<Response>): void {
  const { path, body, organization } = call;
  const headers = new Headers({ "Content-Type": "application/json" });
  if (organization) headers.set(organization.header, organization.id);
  const response = session.then(async (answer) => {
    if (!answer.ok) return undefined;
    // The session is read again by whoever wants to know who is signed in.
    const { csrf_token: token } = (await answer.clone().json()) as { csrf_token?: string };
    if (token) headers.set("X-CSRF-Token", token);
    return ask(path, { method: "POST", headers, body: JSON.stringify(body) });
  });
  keep(call, response);
}

function ask(path: string, init: RequestInit): Promise<Response> {
  performance.mark(`asked early: ${path}`);
  return fetch(path, { credentials: "same-origin", ...init });
}

function keep(call: EarlyCall, response: Promise<Response | undefined>): void {
  // A failure is told to the one who makes the call.
  response.catch(() => undefined);
  early.set(call.path, { ...call, response, askedAt: performance.now() });
}

/** The answer to a call that was begun early, once. */
export async function takeEarly(request: Request): Promise<Response | undefined> {
  const { method, url, headers } = request;
  const { pathname, search } = new URL(url);
  const path = pathname + search;
  const found = early.get(path);
  if (!found || method !== (found.body ? "POST" : "GET")) return undefined;
  early.delete(path);
  const { body, organization, response, askedAt } = found;
  if (organization && headers.get(organization.header) !== organization.id) return undefined;
  if (body && (await request.clone().text()) !== JSON.stringify(body)) return undefined;
  if (performance.now() - askedAt > CURRENT_MS) return undefined;
  const answer = await response;
  if (answer) performance.mark(`used early: ${path}`);
  return answer;
}
