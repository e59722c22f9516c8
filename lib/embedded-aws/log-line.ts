/** Writes a message and its fields to the log. */
export type LogFunction = (message: string, fields?: object) => void
