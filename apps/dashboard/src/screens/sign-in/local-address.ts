/** The address to go to after the sign-in. Only one on this server is followed: a link could name any other. */
export function localAddress(given: unknown): string {
  return typeof given === "string" && /^\/(?![/\\])/.test(given) ? given : "/";
}
