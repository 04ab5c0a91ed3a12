/** An answer with a status and headers. Made by `reply`. */
export class Reply {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, body: unknown, headers: Readonly<Record<string, string>>) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/**
 * Answers with a status other than 200.
 *
 * @example
 * return reply(202, { queued: true });
 */
export function reply(status: number, body: unknown = {}, headers: Readonly<Record<string, string>> = {}): Reply {
  return new Reply(status, body, headers);
}

/** A page made from a file in `views`. Made by `view`. */
export class View {
  readonly name: string;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(name: string, data: Readonly<Record<string, unknown>>) {
    this.name = name;
    this.data = data;
  }
}

/**
 * Answers with a page: a file in `views`, rendered by EJS.
 *
 * @example
 * return view("admin.html", { lists });
 */
export function view(name: string, data: Readonly<Record<string, unknown>> = {}): View {
  return new View(name, data);
}
