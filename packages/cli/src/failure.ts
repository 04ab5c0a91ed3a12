/** The exit codes of the command other than 0, with their meaning. docs/cli.md lists them. */
export const EXIT_CODES = {
  refused: {
    code: 1,
    meaning:
      "The server refused the request, a job failed, every row of an import was refused, or a check found a problem.",
  },
  usage: {
    code: 2,
    meaning: "The command line is wrong: an unknown command or option, or a value that cannot be read.",
  },
  unreachable: { code: 3, meaning: "No server answers at the address, or it did not answer in time." },
  unconfirmed: { code: 4, meaning: "A question was answered with no, or there is no terminal to ask on." },
} as const;

/** Ends the command with an exit code. Nothing more is printed. */
export class Exit extends Error {
  override readonly name = "Exit";
  readonly exitCode: number;

  constructor(exitCode: number) {
    super(`Exit with ${exitCode}.`);
    this.exitCode = exitCode;
  }
}

/** A failure that a person can act on. It ends the command with the exit code of its kind. */
export class Failure extends Error {
  override readonly name = "Failure";
  readonly exitCode: number;

  constructor(kind: keyof typeof EXIT_CODES, message: string, cause?: unknown) {
    super(message, { cause });
    this.exitCode = EXIT_CODES[kind].code;
  }
}

export function usageFailure(message: string, cause?: unknown): Failure {
  return new Failure("usage", message, cause);
}
