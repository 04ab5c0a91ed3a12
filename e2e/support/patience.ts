/** How long tests wait for what the server does. On a busy machine it takes many times as long as on a quiet one. */
export const PATIENCE = { timeout: 90_000, interval: 100 };
