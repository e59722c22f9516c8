/** Takes a sentence and its facts. */
export type LogFunction = (message: string, fields?: object) => void
