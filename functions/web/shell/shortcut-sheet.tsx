import { useEffect, useRef } from 'preact/hooks'
import words from './sheet/words/en.ts'
import rules from './shortcut-sheet.css'
import { areShortcutsOn, isSheetOpen, setShortcutsOn } from './shortcuts.ts'
import { adoptStyles } from './styles.ts'

adoptStyles(rules)

/** A list of the keyboard shortcuts, which also lets users turn them off. */
export default function ShortcutSheet() {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  const close = () => {
    isSheetOpen.value = false
  }
  return (
    <dialog ref={dialog} class="shortcuts" aria-labelledby="shortcuts-title" onClose={close}>
      <h2 id="shortcuts-title">{words.title}</h2>
      <dl>
        {Object.entries(words.keys).map(([key, action]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{action}</dd>
          </div>
        ))}
      </dl>
      <label class="check">
        <input
          type="checkbox"
          defaultChecked={areShortcutsOn.value}
          onChange={(event) => setShortcutsOn(event.currentTarget.checked)}
        />
        {words.areOn}
      </label>
      <p>
        <button type="button" class="button" onClick={() => dialog.current?.close()}>
          {words.close}
        </button>
      </p>
    </dialog>
  )
}
