/** Takes a sentence and its facts. */
export type LogLine = (message: string, fields?: object) => void
