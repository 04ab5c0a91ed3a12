/** The version of this library, which is part of the address of its script. */
export const VERSION = "0.1.0";
