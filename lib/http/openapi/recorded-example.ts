/** Recorded example of an operation: request bodies by media type, replies by status. */
export interface RecordedExample {
  readonly parameters?: Readonly<Record<string, unknown>>
  readonly request?: Readonly<Record<string, unknown>>
  readonly responses: Readonly<Record<string, unknown>>
}
