/** What the server wrote into the page. */
export const BRAND = readMeta("muster-brand", "Svc");
export const STYLE_NONCE = readMeta("muster-nonce", "");

function readMeta(name: string, fallback: string): string {
  const content = document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content;
  // Vite's own server sends the page without the values.
  return content === undefined || content.startsWith("__MUSTER") ? fallback : content;
}
