import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { defined } from '../../../lib/validation/defined.ts'
import { type Problem, toProblem } from '../api.ts'
import { LocalPdfError, openInWorker, type PdfPages } from './local-pages.ts'
import { drawOnServer } from './service-pages.ts'

/** Larger files are drawn by the service, because the browser would have to read too much. */
const maxLocalBytes = 100_000_000

type PdfState =
  | { readonly state: 'opening' }
  | { readonly state: 'locked'; readonly isWrong: boolean }
  /** The service can draw the file if the user agrees to upload it. */
  | { readonly state: 'needs-server'; readonly reason: 'tooLarge' | 'unreadable' }
  | { readonly state: 'sending'; readonly share: number }
  | { readonly state: 'failed'; readonly problem: Problem }
  /** `jobId` names the job that stores the file, if it was uploaded. */
  | { readonly state: 'open'; readonly pages: PdfPages; readonly jobId?: string }

export interface PdfOpening {
  readonly state: PdfState
  readonly tryPassword: (password: string) => void
  readonly drawOnServer: () => void
}

/** What the service needs to access an open PDF. */
export interface PdfAccess {
  readonly password?: string
  readonly jobId?: string
}

/** Opens a PDF for as long as the component is mounted. */
export function usePages(file: File, onOpen: (pages: PdfPages, access: PdfAccess) => void): PdfOpening {
  const [state, setState] = useState<PdfState>({ state: 'opening' })
  const password = useRef<string | undefined>(undefined)
  const abortController = useRef(new AbortController())
  const usesServer = useRef(false)
  const onOpenRef = useRef(onOpen)
  onOpenRef.current = onOpen

  const openPdf = useCallback(async () => {
    const { signal } = abortController.current
    const show = (nextState: PdfState) => {
      if (signal.aborted) return nextState.state === 'open' ? nextState.pages.close() : undefined
      setState(nextState)
      if (nextState.state !== 'open') return
      const { current } = password
      onOpenRef.current(nextState.pages, {
        ...defined({ password: current, jobId: nextState.jobId }),
      })
    }
    try {
      if (usesServer.current) {
        const onSent = (share: number) => show({ state: 'sending', share })
        const { pages, jobId } = await drawOnServer(file, password.current, onSent, signal)
        show({ state: 'open', pages, jobId })
      } else show({ state: 'open', pages: await openInWorker(file, password.current) })
    } catch (error) {
      if (error instanceof LocalPdfError && error.reason === 'locked')
        show({ state: 'locked', isWrong: password.current !== undefined })
      else if (usesServer.current) show({ state: 'failed', problem: toProblem(error) })
      else show({ state: 'needs-server', reason: 'unreadable' })
    }
  }, [file])

  useEffect(() => {
    abortController.current = new AbortController()
    password.current = undefined
    usesServer.current = file.size > maxLocalBytes
    setState(usesServer.current ? { state: 'needs-server', reason: 'tooLarge' } : { state: 'opening' })
    if (!usesServer.current) void openPdf()
    return () => abortController.current.abort()
  }, [file, openPdf])

  useEffect(() => (state.state === 'open' ? () => state.pages.close() : undefined), [state])

  return {
    state,
    tryPassword: (newPassword) => {
      password.current = newPassword
      void openPdf()
    },
    drawOnServer: () => {
      usesServer.current = true
      void openPdf()
    },
  }
}
