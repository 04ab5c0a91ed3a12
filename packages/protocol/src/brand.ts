/**
 * Every name on the wire that holds the brand word. `BRAND=Svc` gives `Svc-App-Id`, `io.svc.asUser`, `svc.track` and
 * `sjs_`; `BRAND=Hull` gives the same names with that word. No other code builds such a name.
 */
export interface Brand {
  /** The brand word as given, e.g. `Svc`; also the browser library's global. */
  readonly word: string;
  readonly headers: {
    readonly appId: string;
    readonly accessToken: string;
    readonly organization: string;
    readonly userId: string;
    /** Goes with the user id in the answer to a sign-in, for the old browser library. */
    readonly userSignature: string;
    readonly position: string;
    readonly waitFor: string;
    /** Says that an answer may be incomplete, because the question engine is being rebuilt. */
    readonly incomplete: string;
    readonly totalCount: string;
    readonly browserId: string;
    readonly sessionId: string;
    readonly smartNotifier: string;
    readonly signature: string;
    readonly signatureVersion: string;
    readonly signaturePublicKeyUrl: string;
  };
  readonly claims: {
    readonly subjectType: string;
    readonly asUser: string;
    readonly asAccount: string;
    readonly create: string;
    readonly active: string;
  };
  /** The source of Muster's own events in messages to connectors, e.g. `svc`. */
  readonly eventSource: string;
  /** Prefix of the browser bus events, e.g. `svc.`. */
  readonly busPrefix: string;
  /** Prefix of the query-string tracking parameters, e.g. `sjs_`. */
  readonly queryPrefix: string;
}

const DEFAULT_WORD = "Svc";
const BRAND_WORD = /^[A-Z][A-Za-z0-9]{1,20}$/;

/** @example createBrand("Hull").headers.appId // "Hull-App-Id" */
export function createBrand(word = DEFAULT_WORD): Brand {
  if (!BRAND_WORD.test(word)) {
    throw new Error(`The brand "${word}" is not usable: give a capitalised word of 2 to 21 letters or digits.`);
  }
  const lower = word.toLowerCase();
  return {
    word,
    headers: {
      appId: `${word}-App-Id`,
      accessToken: `${word}-Access-Token`,
      organization: `${word}-Organization`,
      userId: `${word}-User-Id`,
      userSignature: `${word}-User-Sig`,
      position: `${word}-Position`,
      waitFor: `${word}-Wait-For`,
      incomplete: `${word}-Incomplete`,
      totalCount: `${word}-Total-Count`,
      browserId: `${word}-Bid`,
      sessionId: `${word}-Sid`,
      smartNotifier: `X-${word}-Smart-Notifier`,
      signature: `X-${word}-Smart-Notifier-Signature`,
      signatureVersion: `X-${word}-Smart-Notifier-Signature-Version`,
      signaturePublicKeyUrl: `X-${word}-Smart-Notifier-Signature-Public-Key-Url`,
    },
    claims: {
      subjectType: `io.${lower}.subjectType`,
      asUser: `io.${lower}.asUser`,
      asAccount: `io.${lower}.asAccount`,
      create: `io.${lower}.create`,
      active: `io.${lower}.active`,
    },
    eventSource: lower,
    busPrefix: `${lower}.`,
    queryPrefix: `${lower.charAt(0)}js_`,
  };
}

/** Whether a brand is Muster's own. With any other, older clients are expected. */
export function isDefaultBrand({ word }: Brand): boolean {
  return word === DEFAULT_WORD;
}
