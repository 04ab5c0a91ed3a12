/** The address of a file of a job on the server of this page, whatever address the server believes to have. */
export function fileAddress(url: string): string {
  const { pathname, search } = new URL(url, location.href);
  return pathname + search;
}
