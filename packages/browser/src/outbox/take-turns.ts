/** Runs work while no other tab of the site does. Where tabs cannot take turns, it runs at once: twice does no harm. */
export async function takeTurns(
  locks: Pick<LockManager, "request"> | undefined,
  name: string,
  work: () => Promise<void>,
): Promise<void> {
  let isBegun = false;
  try {
    if (!locks) return await work();
    await locks.request(name, () => {
      isBegun = true;
      return work();
    });
  } catch (error) {
    // A page in a sandbox has locks, but may not use them.
    if (isBegun || !locks) throw error;
    await work();
  }
}
