export { type PerformedActions, performActions } from "./perform-actions.js";
export { runScript, type SandboxAction, type SandboxRun, type SandboxSubject, type ScriptInput } from "./run-script.js";
