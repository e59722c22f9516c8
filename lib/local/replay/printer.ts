/** Writes lines to the operator's terminal, in which no password that the job was given is ever to be read. */
export class Printer {
  readonly #write: (text: string) => void
  #secrets: readonly string[] = []

  constructor(write: (text: string) => void) {
    this.#write = write
  }

  /** From now on these are not shown, whatever holds them: a command, a log line, an engine's own words. */
  hideSecrets(secrets: readonly string[]): void {
    // As they stand in JSON too. Long ones first: a short one could be a part of them.
    const forms = secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)])
    this.#secrets = [...new Set(forms)].sort((a, b) => b.length - a.length)
  }

  redact(text: string): string {
    return this.#secrets.reduce((cleaned, secret) => cleaned.replaceAll(secret, '***'), text)
  }

  line(text = ''): void {
    this.#write(`${replaceControlCharacters(this.redact(text))}\n`)
  }

  heading(text: string): void {
    this.line()
    this.line(text)
  }

  /** What somebody else said, line by line, so that it is not taken for ours. */
  quote(text: string): void {
    for (const line of text.trimEnd().split(/\r\n|[\r\n]/)) this.line(`    | ${line}`)
  }
}

/** Names and words come from strangers' files: control characters could rewrite what the terminal shows. */
const replaceControlCharacters = (text: string) =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is to be found
  text.replace(/[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/g, '\ufffd')
