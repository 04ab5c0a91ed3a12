/** A failure that another attempt would not mend. The API shows its message as the error of the job. */
export class JobFailure extends Error {
  override readonly name = "JobFailure";
}
