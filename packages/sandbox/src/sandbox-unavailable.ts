/** A script was not run, through no fault of its own. It may be run again later. */
export class SandboxUnavailable extends Error {
  override readonly name = "SandboxUnavailable";

  /** Other scripts of the same owner, or of all, take too long. */
  static busy(): SandboxUnavailable {
    return new SandboxUnavailable("Too many scripts are waiting to run. Try again later.");
  }

  static closed(): SandboxUnavailable {
    return new SandboxUnavailable("The process is ending and runs no more scripts.");
  }
}
