import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { type Problem, problemOf } from '../api.ts'
import { openLocal, type Pages, Unreadable } from './local-pages.ts'
import { drawByService } from './service-pages.ts'

/** Above this the service draws: the browser would read too much of it. */
export const mostLocalBytes = 100_000_000

export type Opened =
  | { readonly state: 'opening' }
  | { readonly state: 'locked'; readonly isWrong: boolean }
  /** The service can draw it, when it is asked to. */
  | { readonly state: 'not-here'; readonly why: 'tooLarge' | 'unreadable' }
  | { readonly state: 'sending'; readonly share: number }
  | { readonly state: 'failed'; readonly problem: Problem }
  /** `jobId` has the file, where it was sent. */
  | { readonly state: 'open'; readonly pages: Pages; readonly jobId?: string }

export interface Opening {
  readonly opened: Opened
  readonly tryPassword: (password: string) => void
  readonly askService: () => void
}

/** How the service gets at the same pages. */
export interface Way {
  readonly password?: string
  readonly jobId?: string
}

/** The pages of a PDF, as long as it is shown. */
export function usePages(file: File, onOpen: (pages: Pages, way: Way) => void): Opening {
  const [opened, setOpened] = useState<Opened>({ state: 'opening' })
  const password = useRef<string | undefined>(undefined)
  const ended = useRef(new AbortController())
  const isAtService = useRef(false)
  const told = useRef(onOpen)
  told.current = onOpen

  const open = useCallback(async () => {
    const { signal } = ended.current
    const show = (next: Opened) => {
      if (signal.aborted) return next.state === 'open' ? next.pages.close() : undefined
      setOpened(next)
      if (next.state !== 'open') return
      const { current } = password
      told.current(next.pages, {
        ...(current !== undefined && { password: current }),
        ...(next.jobId !== undefined && { jobId: next.jobId }),
      })
    }
    try {
      if (isAtService.current) {
        const onSent = (share: number) => show({ state: 'sending', share })
        const { pages, jobId } = await drawByService(file, password.current, onSent, signal)
        show({ state: 'open', pages, jobId })
      } else show({ state: 'open', pages: await openLocal(file, password.current) })
    } catch (error) {
      if (error instanceof Unreadable && error.why === 'locked')
        show({ state: 'locked', isWrong: password.current !== undefined })
      else if (isAtService.current) show({ state: 'failed', problem: problemOf(error) })
      else show({ state: 'not-here', why: 'unreadable' })
    }
  }, [file])

  useEffect(() => {
    ended.current = new AbortController()
    password.current = undefined
    isAtService.current = file.size > mostLocalBytes
    setOpened(isAtService.current ? { state: 'not-here', why: 'tooLarge' } : { state: 'opening' })
    if (!isAtService.current) void open()
    return () => ended.current.abort()
  }, [file, open])

  useEffect(() => (opened.state === 'open' ? () => opened.pages.close() : undefined), [opened])

  return {
    opened,
    tryPassword: (given) => {
      password.current = given
      void open()
    },
    askService: () => {
      isAtService.current = true
      void open()
    },
  }
}
