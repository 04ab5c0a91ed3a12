/**
 * How a step of a stage ended: it has done something; it has done something and nothing was left; nothing was waiting;
 * another process is about to give the work to this one, and the next step must look again; or the work belongs to another
 * process.
 */
export type StepResult = "worked" | "finished" | "idle" | "waiting" | "elsewhere";
