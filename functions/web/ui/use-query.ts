import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { type Problem, problemOf } from '../api.ts'

export interface Loaded<Data> {
  readonly data: Data | undefined
  readonly problem: Problem | undefined
  /** Asks again; what is shown stays until the answer is there. */
  readonly reload: () => Promise<void>
}

/** What the service has, asked for when it is first shown and whenever `key` changes. */
export function useLoaded<Data>(key: string, load: () => Promise<Data>): Loaded<Data> {
  const [state, setState] = useState<{ key: string; data?: Data; problem?: Problem }>({ key })
  const latest = useRef({ key, load })
  latest.current = { key, load }
  const reload = useCallback(async () => {
    const asked = latest.current
    const next = await asked.load().then(
      (data) => ({ key: asked.key, data }),
      (error: unknown) => ({ key: asked.key, problem: problemOf(error) }),
    )
    // The visitor may have gone on meanwhile.
    if (latest.current.key === asked.key) setState(next)
  }, [])
  useEffect(() => void reload(), [key])
  const isCurrent = state.key === key
  return {
    data: isCurrent ? state.data : undefined,
    problem: isCurrent ? state.problem : undefined,
    reload,
  }
}
