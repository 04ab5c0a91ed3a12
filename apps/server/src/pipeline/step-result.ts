/**
 * How a step of a stage ended: it has done something, it has done something and nothing was left, nothing was waiting, or
 * another process has the work and the next step must look again.
 */
export type StepResult = "worked" | "finished" | "idle" | "waiting";
