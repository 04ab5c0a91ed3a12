export { type PerformedActions, performActions } from "./perform-actions.js";
export { closeSandbox, runScript, type ScriptInput, type ScriptOptions } from "./run-script.js";
export { SandboxUnavailable } from "./sandbox-unavailable.js";
export type { SandboxAction, SandboxLimits, SandboxRun, SandboxSubject } from "./script-run.js";
