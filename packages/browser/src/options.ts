import { BrowserError } from "./browser-error.js";
import { isUsableId } from "./identity/browser-ids.js";

/** How a page starts the library. */
export interface InitOptions {
  platformId: string;
  /** The address of the organization, such as `https://acme.example.com`. */
  orgUrl: string;
  /** False: the page calls `start()` itself. */
  autoStart?: boolean | undefined;
  /** False: connectors are not embedded. */
  embed?: boolean | undefined;
  debug?: boolean | undefined;
  /** With `debug`: also writes what is sent. */
  verbose?: boolean | undefined;
  /** Signs a user in: a token that a connector has signed. */
  accessToken?: string | undefined;
  anonymousId?: string | undefined;
  sessionId?: string | undefined;
}

type OptionName = keyof InitOptions;

const TEXTS: readonly OptionName[] = ["platformId", "orgUrl", "accessToken", "anonymousId", "sessionId"];
const SWITCHES: readonly OptionName[] = ["autoStart", "embed", "debug", "verbose"];
const MANDATORY: readonly OptionName[] = ["platformId", "orgUrl"];

/**
 * Checks the options of a page. Empty texts count as left out, because templates print them for missing values. Wrong
 * options are named, and the library does not start with them.
 */
export function checkOptions(given: InitOptions): { options: InitOptions; problem: BrowserError | undefined } {
  // Without a prototype, because a script of the page may have added properties to `Object.prototype`.
  const options: Record<OptionName, unknown> = Object.assign(Object.create(null), given);
  for (const name of TEXTS) if (options[name] === "" || options[name] === null) options[name] = undefined;
  const problems = [
    ...MANDATORY.filter((name) => options[name] === undefined).map((name) => `${name} is missing`),
    ...TEXTS.filter((name) => !["string", "undefined"].includes(typeof options[name])).map(
      (name) => `${name} must be a text`,
    ),
    ...(["anonymousId", "sessionId"] as const)
      .filter((name) => typeof options[name] === "string" && !isUsableId(options[name]))
      .map((name) => `${name} must have 1 to 128 letters, digits or any of . _ ~ -`),
  ];
  const origin = typeof options.orgUrl === "string" ? originOf(options.orgUrl) : undefined;
  if (typeof options.orgUrl === "string" && origin === undefined) problems.push("orgUrl must be an http(s) address");
  if (problems.length === 0) {
    return { options: Object.assign(options as unknown as InitOptions, { orgUrl: origin ?? "" }), problem: undefined };
  }
  const problem = new BrowserError("invalid_argument", `The library cannot start: ${problems.join("; ")}.`);
  console.error(problem.message);
  return { options: { platformId: "", orgUrl: "" }, problem };
}

/** The options in the data attributes of a script tag: `data-platform-id`, `data-org-url` and so on. */
export function optionsOfScript({ dataset }: HTMLElement): InitOptions {
  const texts = Object.fromEntries(TEXTS.map((name) => [name, dataset[name]]));
  const switches = Object.fromEntries(
    SWITCHES.filter((name) => dataset[name] !== undefined).map((name) => [name, dataset[name] !== "false"]),
  );
  return { ...texts, ...switches } as unknown as InitOptions;
}

function originOf(address: string): string | undefined {
  try {
    const { origin, protocol } = new URL(address);
    return protocol === "https:" || protocol === "http:" ? origin : undefined;
  } catch {
    return undefined;
  }
}
