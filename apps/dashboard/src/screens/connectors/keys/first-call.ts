/** What somebody pastes into a terminal to record a first event with a server key. */
export function firstCall(url: string, key: string): string {
  return `curl -u ${key}: ${url}/v1/track -d '{"userId":"ada","event":"Signed up"}'`;
}
