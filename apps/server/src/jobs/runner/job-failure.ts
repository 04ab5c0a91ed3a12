/** Why a job cannot be done, however often it is tried: told to whoever started it. */
export class JobFailure extends Error {
  override readonly name = "JobFailure";
}
