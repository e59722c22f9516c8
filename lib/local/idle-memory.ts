/** Milliseconds between two looks. */
const checkEveryMs = 15_000
/** Processor time between two looks up to which the process counts as resting; an idle service takes a fifth of it. */
const maxIdleCpuMs = 300
/** Processor time after which a collection pays. An idle service takes some minutes for it. */
const minWorkedCpuMs = 1000

/**
 * V8 collects while a program allocates. One that has come to rest keeps what it no longer needs, which after the
 * start and after work are some 30 to 80 MiB; so they are collected once it rests.
 */
export class IdleCollector {
  readonly #collect: () => void
  #workedMs = 0

  constructor(collect: () => void) {
    this.#collect = collect
  }

  /** Takes the processor time since the last look, the first time since the start. */
  check(workedMs: number): void {
    this.#workedMs += workedMs
    if (workedMs > maxIdleCpuMs || this.#workedMs < minWorkedCpuMs) return
    this.#collect()
    this.#workedMs = 0
  }
}

/** Does nothing where Node runs without `--expose-gc`. */
export function collectGarbageWhenIdle(): void {
  const { gc } = globalThis
  if (!gc) return
  // The other kinds keep the pages of what they free.
  const collector = new IdleCollector(() => gc({ type: 'major', execution: 'sync', flavor: 'last-resort' }))
  // Time that passes says nothing: on a busy machine a process that rests waits long for its turn.
  let before: NodeJS.CpuUsage | undefined
  setInterval(() => {
    const { user, system } = process.cpuUsage(before)
    before = process.cpuUsage()
    collector.check((user + system) / 1000)
  }, checkEveryMs).unref()
}
