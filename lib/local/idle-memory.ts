/** Milliseconds between two looks. */
const lookMs = 15_000
/** Processor time between two looks up to which the process counts as resting; an idle service takes a fifth of it. */
const restMs = 300
/** Processor time after which a collection pays. An idle service takes some minutes for it. */
const worthMs = 1000

/**
 * V8 collects while a program allocates. One that has come to rest keeps what it no longer needs, which after the
 * start and after work are some 30 to 80 MiB; so they are collected once it rests.
 */
export class IdleMemory {
  readonly #collect: () => void
  #workedMs = 0

  constructor(collect: () => void) {
    this.#collect = collect
  }

  /** Takes the processor time since the last look, the first time since the start. */
  look(workedMs: number): void {
    this.#workedMs += workedMs
    if (workedMs > restMs || this.#workedMs < worthMs) return
    this.#collect()
    this.#workedMs = 0
  }
}

/** Does nothing where Node runs without `--expose-gc`. */
export function watchIdleMemory(): void {
  const { gc } = globalThis
  if (!gc) return
  // The other kinds keep the pages of what they free.
  const memory = new IdleMemory(() => gc({ type: 'major', execution: 'sync', flavor: 'last-resort' }))
  // Time that passes says nothing: on a busy machine a process that rests waits long for its turn.
  let before: NodeJS.CpuUsage | undefined
  setInterval(() => {
    const { user, system } = process.cpuUsage(before)
    before = process.cpuUsage()
    memory.look((user + system) / 1000)
  }, lookMs).unref()
}
