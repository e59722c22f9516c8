import { useEffect, useState } from 'preact/hooks'
import type { Job } from '../api.ts'
import { language } from '../shell/language.ts'
import { ProblemText } from '../shell/problem-text.tsx'

/** A warning in the language of the page, with the service's own sentence below. */
export function WarningText({ code, message }: Pick<Job['warnings'][number], 'code' | 'message'>) {
  const [translation, setTranslation] = useState<string>()
  useEffect(() => {
    if (language === 'en') return
    // Without the texts, the service's sentence is shown.
    import('../warnings/words/en.ts').then(
      ({ default: warnings }) => setTranslation(warnings[code]),
      () => {},
    )
  }, [code])
  return <ProblemText problem={{ message: translation ?? message, detail: message }} />
}
