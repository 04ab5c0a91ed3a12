/** A failure that a retry cannot mend. The API shows its message as the error of the job. */
export class JobFailure extends Error {
  override readonly name = "JobFailure";
}
