/**
 * How a step of a stage ended: it has done something; nothing was waiting; another process is about to give the work to
 * this one, and the next step must look again; or the work belongs to another process.
 */
export type StepResult = "worked" | "idle" | "waiting" | "elsewhere";
