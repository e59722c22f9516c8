/** The program ended by a signal it did not expect: it crashed, or a limit of the sandbox ended it. */
export class EngineCrash extends Error {
  override readonly name = 'EngineCrash'
  readonly bin: string
  readonly signal: string
  readonly stderr: string

  constructor(bin: string, signal: string, stderr: string) {
    super(`${bin} was ended by ${signal}: ${stderr.slice(-2000)}`)
    this.bin = bin
    this.signal = signal
    this.stderr = stderr
  }
}
