import { typeOfId } from "./api/object-ids.js";
import { type Brand, isDefaultBrand } from "./brand.js";
import { isStorableText } from "./storable-text.js";

/** The identifiers by which a token can name its user or account. */
export const USER_IDENTIFIERS = ["id", "external_id", "email", "anonymous_id", "domain"] as const;
export const ACCOUNT_IDENTIFIERS = ["id", "external_id", "domain", "anonymous_id"] as const;

export type UserIdentifier = (typeof USER_IDENTIFIERS)[number];
export type AccountIdentifier = (typeof ACCOUNT_IDENTIFIERS)[number];
export type SubjectType = "user" | "account";

export type UserClaims = Partial<Record<UserIdentifier, string>>;
export type AccountClaims = Partial<Record<AccountIdentifier, string>>;

/** The claims of a token, read from its payload. */
export interface VerifiedClaims {
  issuer: string;
  /** In seconds, like `expiresAt`. */
  issuedAt: number;
  /** When the token expires, if it does. */
  expiresAt?: number;
  subjectType: SubjectType;
  subjectId?: string;
  asUser?: UserClaims;
  asAccount?: AccountClaims;
  create: boolean;
  active: boolean;
  scopes: string[];
}

/** Reads the payload of a verified token. Returns a sentence that says what is wrong when it cannot be used. */
export function readClaims(brand: Brand, payload: Record<string, unknown>): VerifiedClaims | string {
  const names = brand.claims;
  const { iss, iat, exp, sub, scopes } = payload;
  const subjectType = payload[names.subjectType] ?? (isDefaultBrand(brand) ? undefined : deriveType(brand, payload));
  if (typeof iss !== "string" || iss === "") return "The token has no `iss` claim.";
  if (typeof iat !== "number") return "The token has no `iat` claim.";
  if (subjectType !== "user" && subjectType !== "account") {
    return `The token's \`${names.subjectType}\` claim must be "user" or "account".`;
  }
  const asUser = readIdentifiers(USER_IDENTIFIERS, payload[names.asUser]);
  const asAccount = readIdentifiers(ACCOUNT_IDENTIFIERS, payload[names.asAccount]);
  const subjectId = typeof sub === "string" && isUsable(sub) ? sub : undefined;
  if (!asUser && !asAccount && !subjectId) {
    return `The token has no identifier: give \`${names.asUser}\`, \`${names.asAccount}\` or \`sub\` with a usable identifier.`;
  }
  if (subjectType === "user" && !asUser && !subjectId) {
    return `The token's subject is a user, but it carries no usable \`${names.asUser}\` identifier.`;
  }
  return {
    issuer: iss,
    issuedAt: iat,
    ...(typeof exp === "number" ? { expiresAt: exp } : {}),
    subjectType,
    ...(subjectId === undefined ? {} : { subjectId }),
    ...(asUser ? { asUser } : {}),
    ...(asAccount ? { asAccount } : {}),
    create: payload[names.create] !== false,
    active: payload[names.active] === true,
    scopes: Array.isArray(scopes) ? scopes.filter((scope): scope is string => typeof scope === "string") : [],
  };
}

/** The type of the subject of a token that does not state it. Old libraries leave it out; ours never do. */
function deriveType({ claims }: Brand, payload: Record<string, unknown>): SubjectType | undefined {
  if (payload[claims.asAccount] !== undefined) return undefined;
  if (payload[claims.asUser] !== undefined) return "user";
  const type = typeof payload.sub === "string" ? typeOfId(payload.sub) : undefined;
  return type === "user" || type === "account" ? type : undefined;
}

/** The database cannot index longer identifiers. Real ones are far shorter. */
const MAX_IDENTIFIER_LENGTH = 1_024;

function isUsable(identifier: string): boolean {
  return identifier.trim() !== "" && identifier.length <= MAX_IDENTIFIER_LENGTH && isStorableText(identifier);
}

function readIdentifiers<Key extends string>(
  keys: readonly Key[],
  given: unknown,
): Partial<Record<Key, string>> | undefined {
  if (typeof given === "string") return isUsable(given) ? ({ id: given } as Partial<Record<Key, string>>) : undefined;
  if (typeof given !== "object" || given === null) return undefined;
  const found: Partial<Record<Key, string>> = {};
  for (const key of keys) {
    const value = (given as Record<string, unknown>)[key];
    const text = typeof value === "number" ? String(value) : value;
    if (typeof text === "string" && isUsable(text)) found[key] = text;
  }
  return Object.keys(found).length > 0 ? found : undefined;
}
