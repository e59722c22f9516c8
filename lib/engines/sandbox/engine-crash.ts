/** Thrown if a signal ended a program: it crashed, or it exceeded a limit of the sandbox. */
export class EngineCrash extends Error {
  override readonly name = 'EngineCrash'
  readonly bin: string
  readonly signal: string
  readonly stderr: string

  constructor(bin: string, signal: string, stderr: string) {
    super(`${bin} was killed by ${signal}: ${stderr.slice(-2000)}`)
    this.bin = bin
    this.signal = signal
    this.stderr = stderr
  }
}
