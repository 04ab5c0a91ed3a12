/** A stage that has a loop of its own: apply, or the relay with project, evaluate and notify. */
export type Stage = "apply" | "relay";

/** A stage as metrics, the database and the API name it. They have the older name of the relay. */
export type PublicStage = "apply" | "project";

/** The one place that knows both names. */
export const PUBLIC_NAMES: Readonly<Record<Stage, PublicStage>> = { apply: "apply", relay: "project" };
