import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { type Problem, toProblem } from '../api.ts'

export interface Query<Data> {
  readonly data: Data | undefined
  readonly problem: Problem | undefined
  /** Loads the data again and keeps the current data until then. */
  readonly reload: () => Promise<void>
}

/** Loads data from the service when first rendered and whenever `key` changes. */
export function useQuery<Data>(key: string, load: () => Promise<Data>): Query<Data> {
  const [state, setState] = useState<{ key: string; data?: Data; problem?: Problem }>({ key })
  const latestQuery = useRef({ key, load })
  latestQuery.current = { key, load }
  const reload = useCallback(async () => {
    const currentQuery = latestQuery.current
    const nextResult = await currentQuery.load().then(
      (data) => ({ key: currentQuery.key, data }),
      (error: unknown) => ({ key: currentQuery.key, problem: toProblem(error) }),
    )
    // The key may have changed while the data of the old key was loading.
    if (latestQuery.current.key === currentQuery.key) setState(nextResult)
  }, [])
  useEffect(() => void reload(), [key])
  const isCurrent = state.key === key
  return {
    data: isCurrent ? state.data : undefined,
    problem: isCurrent ? state.problem : undefined,
    reload,
  }
}
