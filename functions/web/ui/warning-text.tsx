import { useEffect, useState } from 'preact/hooks'
import { language } from '../shell/language.ts'
import { ProblemText } from '../shell/problem-text.tsx'
import type { Warning } from '../warnings/catalog.ts'

/** Shows a warning in the language of the page, with the service's own message below. */
export function WarningText({ warning }: { readonly warning: Warning }) {
  const [translation, setTranslation] = useState<string>()
  useEffect(() => {
    if (language === 'en') return
    // If the translations cannot be loaded, the service's own message is shown.
    import('../warnings/translate-warning.ts').then(
      ({ default: translate }) => setTranslation(translate(warning)),
      () => {},
    )
  }, [warning])
  const { message } = warning
  return <ProblemText problem={{ message: translation ?? message, detail: message }} />
}
