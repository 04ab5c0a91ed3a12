/** Runs work under a lock that all tabs of the site share. Without locks it runs at once: sending twice does no harm. */
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
