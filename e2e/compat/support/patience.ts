/** How long to wait for something that happens soon. A loaded machine may need this long. */
export const PATIENCE = { timeout: 90_000, interval: 50 };
