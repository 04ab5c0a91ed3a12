/**
 * How a step of a stage ended: it has done something, nothing was waiting, or another process has the work and the next
 * step must look again.
 */
export type StepResult = "worked" | "idle" | "waiting";
