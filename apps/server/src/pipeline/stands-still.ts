/** Thrown by a step that has work and gets nowhere: repeating it would keep a processor busy, and nobody would know. */
export class StandsStill extends Error {
  override readonly name = "StandsStill";
}
