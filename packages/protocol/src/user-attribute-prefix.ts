/** Reports of users put this before the names of custom attributes. Reports of accounts have no prefix. */
const USER_ATTRIBUTE_PREFIX = "traits_";

/** @example withUserAttributePrefix("plan") // "traits_plan" */
export function withUserAttributePrefix(name: string): string {
  return USER_ATTRIBUTE_PREFIX + name;
}

export function hasUserAttributePrefix(key: string): boolean {
  return key.startsWith(USER_ATTRIBUTE_PREFIX);
}

/**
 * The key without the prefix; a key that has no prefix stays as it is.
 *
 * @example withoutUserAttributePrefix("traits_plan") // "plan"
 */
export function withoutUserAttributePrefix(key: string): string {
  return hasUserAttributePrefix(key) ? key.slice(USER_ATTRIBUTE_PREFIX.length) : key;
}
