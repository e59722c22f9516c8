/** Writes lines to the operator's terminal and hides all passwords of the job. */
export class Printer {
  readonly #write: (text: string) => void
  #secrets: readonly string[] = []

  constructor(write: (text: string) => void) {
    this.#write = write
  }

  /** Hides these secrets from now on, wherever they appear: in a command, a log line or an engine's output. */
  hideSecrets(secrets: readonly string[]): void {
    // The JSON form is hidden as well. Long secrets are replaced first, because a short one could be a part of them.
    const forms = secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)])
    this.#secrets = [...new Set(forms)].sort((a, b) => b.length - a.length)
  }

  redact(text: string): string {
    return this.#secrets.reduce((redactedText, secret) => redactedText.replaceAll(secret, '***'), text)
  }

  line(text = ''): void {
    this.#write(`${replaceControlCharacters(this.redact(text))}\n`)
  }

  printHeading(text: string): void {
    this.line()
    this.line(text)
  }

  /**
   * Prints the output of another program. Each line has a mark that distinguishes it from the output of this command.
   */
  printQuote(text: string): void {
    for (const line of text.trimEnd().split(/\r\n|[\r\n]/)) this.line(`    | ${line}`)
  }
}

/** Replaces control characters: names and output come from users' files and could change what the terminal shows. */
const replaceControlCharacters = (text: string) =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are replaced
  text.replace(/[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/g, '\ufffd')
