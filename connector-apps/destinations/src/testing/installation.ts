/** The folder with the installed package, which `npm run test:destinations` prepares. */
export function installation(): string {
  const folder = process.env.DESTINATIONS_INSTALLATION;
  if (folder === undefined) throw new Error("Run these tests with `npm run test:destinations`.");
  return folder;
}
