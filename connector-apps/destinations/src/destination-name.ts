/** The name of a destination: that of its folder in the package, and a part of its address. */
export const DESTINATION_NAME = /^[a-z0-9][a-z0-9-]{0,99}$/;
